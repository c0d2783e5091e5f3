import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Suspense, useState } from "react";
import { Button } from "react-aria-components";
import { part } from "../api/load.ts";
import { CallForm } from "../ui/call_form.tsx";
import { Confirm } from "../app/confirm.tsx";
import { closeSurvey, createSurvey, surveysQuery } from "../data/surveys.ts";
import { Field } from "../ui/field.tsx";
import { Rows, RowText } from "../ui/rows.tsx";
import { Section } from "../ui/section.tsx";
import { admin as words } from "../words/admin.ts";

const SurveyResults = part(async () => (await import("./survey_results.tsx")).default);

/**
 * Surveys with their results. A survey made here asks for texts; the API also takes choices and
 * scales.
 */
export function Surveys() {
  const { data, error } = useQuery(surveysQuery);
  const [shown, show] = useState<{ id: string; code: string; title: string }>();
  const create = async ({ code = "", title = "", questions = "" }: Record<string, string>) => {
    const lines = questions.split("\n").map((line) => line.trim()).filter(Boolean);
    await createSurvey({
      code,
      title,
      questions: lines.map((text, at) => ({ key: `q${at + 1}`, type: "text", text, required: true })),
    });
  };
  return (
    <Section title={words.sections.surveys} hint={words.surveysHint}>
      <CallForm submit={words.addSurvey} send={create}>
        <Field name="code" label={words.surveyCode} isRequired />
        <Field name="title" label={words.surveyTitle} isRequired />
        <Field name="questions" label={words.surveyQuestions} rows={4} isRequired />
      </CallForm>
      <Rows label={words.sections.surveys} rows={data?.surveys} error={error} keyOf={({ id }) => id}>
        {({ id, code, title, response_count, closed_at }) => (
          <>
            <RowText name={title}>{code} · {words.answers(response_count)}</RowText>
            <Button
              className="button"
              aria-label={words.resultsOf(title)}
              onPress={() => show({ id, code, title })}
            >
              {words.results}
            </Button>
            <Link className="button" to="/survey/$code" params={{ code }}>{words.surveyLink}</Link>
            <a className="button" href={`/api/admin/scope-surveys/${id}/responses?format=csv`}>{words.csv}</a>
            {closed_at ? <span className="tag">{words.closed}</span> : (
              <Confirm
                label={words.close}
                question={words.closeQuestion(title)}
                done={words.done}
                run={() => closeSurvey(id)}
              />
            )}
          </>
        )}
      </Rows>
      <Suspense>
        {shown && <SurveyResults survey={shown} close={() => show(undefined)} />}
      </Suspense>
    </Section>
  );
}
