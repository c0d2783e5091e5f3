import { z } from "zod";
import { AppError } from "../../core/errors.ts";
import { parseAs, parseJson } from "../../core/json.ts";
import { receiveDeploy } from "../../deploys/receive.ts";
import { DeployAnswer, DeployRecord } from "../../deploys/schema.ts";
import { decoded } from "../request.ts";
import { isSecret } from "./_signature.ts";
import { answersOf, type Webhook } from "./webhook.ts";

export const deployWebhook: Webhook = {
  path: "/webhooks/pipeline/deploy",
  provider: "deploy",
  secret: "CRON_SECRET",
  maxBytes: 16 * 1024,
  operation: {
    operationId: "webhooks.deploy",
    summary: "Deploy record",
    description:
      "Stamps the tickets whose merge_sha was promoted to production, and closes the tickets that waited for " +
      "this deploy. A repeat stamps nothing and runs the close step again. After a failure, send the call again.",
    requestParams: { header: z.object({ "x-cron-secret": z.string() }) },
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: DeployRecord,
          example: {
            repo: "acme/handoff",
            sha: "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d",
            run_id: "8371",
            environment: "production",
            status: "success",
          },
        },
      },
    },
    responses: answersOf(
      DeployAnswer,
      "unauthenticated",
      "stamp_failed",
      "report_failed",
      "close_failed",
    ),
  },
  async receive({ ctx, headers, body, secrets }) {
    if (!isSecret(decoded(headers.get("x-cron-secret")), secrets)) {
      throw new AppError("unauthenticated", "The x-cron-secret header is missing or wrong");
    }
    const record = parseAs(DeployRecord, parseJson(body));
    return await receiveDeploy(ctx, record, body);
  },
};
