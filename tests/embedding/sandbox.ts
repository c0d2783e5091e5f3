/**
 * Prints the length of one vector, or the reason why there is none. embed.test.ts runs it with few
 * permissions.
 */
import { startEmbedder } from "../../src/embedding/start.ts";

const modelDir = new URL("../../models/all-MiniLM-L6-v2/", import.meta.url);
const embedder = startEmbedder({ threads: 1, modelDir });
const vector = await embedder.embed("a ticket", { timeoutMs: 30_000 });
const outcome = JSON.stringify(vector?.length ?? embedder.state());
embedder.close();
await Deno.stdout.write(new TextEncoder().encode(outcome));
