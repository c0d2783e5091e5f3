import { afterAll, beforeAll, inject } from "vitest";
import { copyTemplate, dropPlace, type Place } from "./database.ts";
import { type ServiceProcess, startService } from "./service_process.ts";

/** Starts one service for all tests of a file. Call it at the top of the file. */
export function useService(): { readonly now: ServiceProcess } {
  let place: Place;
  let service: ServiceProcess;
  beforeAll(async () => {
    place = await copyTemplate(inject("template"));
    service = await startService(place);
  });
  afterAll(async () => {
    await service.stop();
    await dropPlace(place);
  });
  return {
    get now() {
      return service;
    },
  };
}
