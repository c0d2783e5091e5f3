import { createContext } from "react";
import type { TicketAt } from "../data/changes.ts";

/** The ticket whose texts are shown, by its id. The tickets that they name are shown with stage and title. */
export const TextsOf = createContext<TicketAt | null>(null);
