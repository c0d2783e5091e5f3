import { useInfiniteQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components";
import type { Webhook, WebhookDelivery } from "../api/types.ts";
import { Confirm } from "../app/confirm.tsx";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import {
  deleteWebhook,
  placeOf,
  redeliver,
  replayEvents,
  rotateSecret,
  testWebhook,
  updateWebhook,
  webhookDeliveriesQuery,
} from "../data/webhooks.ts";
import { CallForm } from "../ui/call_form.tsx";
import { Field } from "../ui/field.tsx";
import { Rows, RowText } from "../ui/rows.tsx";
import { Time } from "../ui/time.tsx";
import { webhooks as words } from "../words/project_settings.ts";
import { WebhookForm } from "./webhook_form.tsx";

interface Props {
  webhook: Webhook;
  showSecret: (secret: string) => void;
}

/** One webhook, with its buttons and the outcomes of its deliveries. */
export function OpenWebhook({ webhook, showSecret }: Props) {
  const path = placeOf(webhook);
  const { enabled, url } = webhook;
  const change = (fields: Partial<Webhook>) => updateWebhook({ ...path, ...fields });
  const rotate = async () => {
    const { secret } = await rotateSecret(path);
    showSecret(secret);
  };
  const remove = () => deleteWebhook(path);
  const test = () => void testWebhook(path).then(() => sayDone(words.tested), sayRefused);
  const turn = () =>
    void change({ enabled: !enabled }).then(() => sayDone(enabled ? words.isOff : words.isOn), sayRefused);
  return (
    <div className="row-more">
      <div className="row">
        <Button className="button" onPress={test}>{words.test}</Button>
        <Button className="button" onPress={turn}>{enabled ? words.turnOff : words.turnOn}</Button>
        <Confirm
          label={words.rotate}
          question={words.rotateQuestion}
          done={words.rotated}
          run={rotate}
        />
        <Confirm
          label={words.remove}
          question={words.removeQuestion(url)}
          done={words.removed}
          run={remove}
        />
      </div>
      <details>
        <summary>{words.change}</summary>
        <WebhookForm
          webhook={webhook}
          submit={words.save}
          send={change}
          done={() => sayDone(words.saved)}
        />
      </details>
      <details>
        <summary>{words.replay}</summary>
        <Replay webhook={webhook} />
      </details>
      <Deliveries webhook={webhook} />
    </div>
  );
}

function Replay({ webhook }: { webhook: Webhook }) {
  const replay = async ({ since_seq }: Record<string, string>) => {
    const { queued, next_since_seq: next } = await replayEvents({
      ...placeOf(webhook),
      since_seq: Number(since_seq),
      limit: 5000,
    });
    sayDone(words.replayed(queued, next));
  };
  return (
    <CallForm look="inline" submit={words.replayNow} send={replay}>
      <Field
        name="since_seq"
        label={words.since}
        hint={words.sinceHint}
        pattern="\d+"
        inputMode="numeric"
        isRequired
      />
    </CallForm>
  );
}

/**
 * The milliseconds until unfinished deliveries are read again, because the end of a delivery is no
 * event.
 */
const AGAIN_MS = 2_000;

function Deliveries({ webhook }: { webhook: Webhook }) {
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    ...webhookDeliveriesQuery(placeOf(webhook)),
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.deliveries.some(({ status }) => status === "pending") ? AGAIN_MS : false,
  });
  return (
    <>
      <h3>{words.deliveries}</h3>
      <Rows
        label={words.deliveries}
        rows={data?.pages.flatMap((page) => page.deliveries)}
        error={error}
        keyOf={({ id }) => id}
        empty={words.noDeliveries}
      >
        {(delivery) => <Row webhook={webhook} delivery={delivery} />}
      </Rows>
      {hasNextPage && <Button className="button" onPress={() => void fetchNextPage()}>{words.more}</Button>}
    </>
  );
}

function Row({ webhook, delivery }: { webhook: Webhook; delivery: WebhookDelivery }) {
  const { id: deliveryId, type, seq, status, attempts, answer_status, answer, error, created_at } = delivery;
  const again = () =>
    void redeliver({ ...placeOf(webhook), deliveryId }).then(() => sayDone(words.sentAgain), sayRefused);
  return (
    <>
      <RowText name={seq === null ? type : `${type} ${seq}`}>
        <Time at={created_at} /> · {words.tries(attempts)}
        {answer_status !== null && <>· {words.answered(answer_status)} {answer}</>}
        {error !== null && <>· {error}</>}
      </RowText>
      <span className={`tag ${status}`}>{words.status[status]}</span>
      <Button className="button" aria-label={`${words.again}: ${type}`} onPress={again}>{words.again}</Button>
    </>
  );
}
