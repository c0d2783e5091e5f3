const [JSON_TYPE, STREAM_TYPE] = ["application/json", "text/event-stream"] as const;

/** Which of the two forms of an answer a client takes. A client that names none of them takes both. */
export interface Accepted {
  json: boolean;
  stream: boolean;
}

export function acceptedForms(accept: string | undefined): Accepted {
  const types = (accept ?? "").toLowerCase().split(",").flatMap((part) => {
    const [type = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : [type];
  });
  const takes = (form: string) =>
    types.some((type) => type === form || type === "*/*" || type === `${form.split("/")[0]}/*`);
  const [json, stream] = [takes(JSON_TYPE), takes(STREAM_TYPE)];
  return json || stream ? { json, stream } : { json: true, stream: true };
}

/** The header field that the protocol's library demands. It answers in either form. */
export const BOTH_FORMS = `${JSON_TYPE}, ${STREAM_TYPE}`;

/** Returns an answer in a form that the client takes. */
export async function inAcceptedForm(response: Response, { json, stream }: Accepted): Promise<Response> {
  const isStream = response.headers.get("content-type")?.startsWith(STREAM_TYPE) === true;
  const isJson = response.headers.get("content-type")?.startsWith(JSON_TYPE) === true;
  if (isStream && !stream) return await asJson(response);
  if (isJson && !json && response.ok) return await asStream(response);
  return response;
}

/** Signs of progress are left out, because JSON is one answer. */
async function asJson(response: Response): Promise<Response> {
  const messages = (await response.text()).split("\n").flatMap((line) =>
    line.startsWith("data:") && line.length > "data: ".length ? [JSON.parse(line.slice("data:".length))] : []
  );
  const answers = messages.filter((message) => "result" in message || "error" in message);
  return withBody(response, JSON.stringify(answers.length === 1 ? answers[0] : answers), JSON_TYPE);
}

async function asStream(response: Response): Promise<Response> {
  return withBody(response, `event: message\ndata: ${await response.text()}\n\n`, STREAM_TYPE);
}

function withBody({ status, headers: before }: Response, body: string, type: string): Response {
  const headers = new Headers(before);
  headers.delete("content-length");
  headers.set("content-type", type);
  return new Response(body, { status, headers });
}
