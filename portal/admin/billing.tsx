import { useQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components";
import { sentenceOf } from "../api/client.ts";
import { sayRefused } from "../app/toasts.tsx";
import { billingQuery, openBilling, subscribe } from "../data/accounts.ts";
import { CallForm } from "../ui/call_form.tsx";
import { Field } from "../ui/field.tsx";
import { Section } from "../ui/section.tsx";
import { Time } from "../ui/time.tsx";
import { admin as words } from "../words/admin.ts";

const here = () => `${location.origin}/admin?section=billing`;

/** Shows the account's subscription. It is changed on pages of the payment provider. */
export function Billing() {
  const { data, error } = useQuery(billingQuery);
  const begin = async ({ price = "" }: Record<string, string>) => {
    const { url } = await subscribe({ price, success_url: here(), cancel_url: here() });
    location.assign(url);
  };
  const openPortal = () =>
    void openBilling({ return_url: here() }).then(
      ({ url }) => location.assign(url),
      sayRefused,
    );
  const subscription = data?.subscription;
  return (
    <Section title={words.sections.billing} hint={words.billingHint}>
      {error && <p role="alert" className="refusal">{sentenceOf(error)}</p>}
      {subscription && (
        <dl className="fact-list">
          <dt>{words.status}</dt>
          <dd>{subscription.status}</dd>
          {subscription.current_period_end && (
            <>
              <dt>{words.renews}</dt>
              <dd>
                <Time at={subscription.current_period_end} />
              </dd>
            </>
          )}
        </dl>
      )}
      {data && !subscription && <p className="empty">{words.noSubscription}</p>}
      {data?.customer_id && (
        <div>
          <Button className="button" onPress={openPortal}>{words.openPortal}</Button>
        </div>
      )}
      <CallForm look="inline" submit={words.checkout} send={begin}>
        <Field name="price" label={words.price} isRequired />
      </CallForm>
    </Section>
  );
}
