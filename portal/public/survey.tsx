import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { CheckboxGroup, Label, Radio, RadioGroup } from "react-aria-components";
import { sentenceOf } from "../api/client.ts";
import type { Outputs } from "../api/types.ts";
import { useTitle } from "../app/title.tsx";
import { answerSurvey, surveyQuery } from "../data/surveys.ts";
import { CallForm } from "../ui/call_form.tsx";
import { CheckOption } from "../ui/check_option.tsx";
import { Field } from "../ui/field.tsx";
import { app } from "../words/app.ts";
import { survey as words } from "../words/public.ts";

type Question = Outputs["surveys"]["get"]["questions"][number];

const route = getRouteApi("/survey/$code");

/** A survey for anyone who has its code. */
export function Survey() {
  const { code } = route.useParams();
  const { data, error } = useQuery(surveyQuery(code));
  useTitle(data?.title);
  const [several, setSeveral] = useState<Record<string, string[]>>({});
  const [isDone, setDone] = useState(false);
  const send = async ({ email, ...values }: Record<string, string>) => {
    const answers: Record<string, string | number | string[]> = {};
    for (const { key, type } of data?.questions ?? []) {
      const value = type === "choices" ? several[key] : values[key];
      if (value?.length) answers[key] = type === "scale" ? Number(value) : value;
    }
    await answerSurvey({ code, email, answers });
  };
  return (
    <main className="centered" id="main">
      <div className="card-form wide">
        <p className="brand">
          <span className="mark" aria-hidden="true" />
          {app.name}
        </p>
        {error && <p role="alert" className="refusal">{sentenceOf(error)}</p>}
        {data && <h1 dir="auto">{data.title}</h1>}
        {data?.closed && <p>{words.closed}</p>}
        {isDone && <p role="status">{words.thanks}</p>}
        {data && !data.closed && !isDone && (
          <CallForm
            submit={words.send}
            send={send}
            done={() => setDone(true)}
          >
            {data.questions.map((question) => (
              <Asked
                key={question.key}
                question={question}
                several={several[question.key] ?? []}
                setSeveral={(chosen) => setSeveral({ ...several, [question.key]: chosen })}
              />
            ))}
            <Field name="email" type="email" label={words.email} hint={words.emailHint} />
          </CallForm>
        )}
      </div>
    </main>
  );
}

interface AskedProps {
  question: Question;
  several: string[];
  setSeveral: (chosen: string[]) => void;
}

function Asked({ question, several, setSeveral }: AskedProps) {
  const { key, type, text, required = true } = question;
  if (type === "text") return <Field name={key} label={text} rows={3} isRequired={required} />;
  if (type === "choices") {
    return (
      <CheckboxGroup className="options" value={several} onChange={setSeveral} isRequired={required}>
        <Label dir="auto">{text}</Label>
        <div>
          {question.options.map((option) => <CheckOption key={option} value={option} label={option} />)}
        </div>
      </CheckboxGroup>
    );
  }
  const options = type === "choice"
    ? question.options
    : Array.from({ length: question.max }, (_, at) => String(at + 1));
  return (
    <RadioGroup className="options" name={key} isRequired={required}>
      <Label dir="auto">{text}</Label>
      <div>
        {options.map((option) => <Radio key={option} value={option} className="option">{option}</Radio>)}
      </div>
    </RadioGroup>
  );
}
