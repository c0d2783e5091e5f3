import { useQuery } from "@tanstack/react-query";
import { sentenceOf } from "../api/client.ts";
import type { Outputs } from "../api/types.ts";
import { responsesQuery, surveyQuery } from "../data/surveys.ts";
import { Sheet } from "../ui/dialog.tsx";
import { Time } from "../ui/time.tsx";
import { surveyResults as words } from "../words/admin.ts";

type Question = Outputs["surveys"]["get"]["questions"][number];
type Response = Outputs["surveys"]["responses"]["responses"][number];

interface Props {
  survey: { id: string; code: string; title: string };
  close: () => void;
}

/** The answers to each question of a survey, counted or in the words of the people. */
export default function SurveyResults({ survey: { id, code, title }, close }: Props) {
  const { data: asked, error: unknown } = useQuery(surveyQuery(code));
  const { data: responses, error: refused } = useQuery(responsesQuery(id));
  const error = unknown ?? refused;
  return (
    <Sheet title={title} size="wide" close={close}>
      <div className="results" aria-busy={!error && !(asked && responses)}>
        {error && <p role="alert" className="refusal">{sentenceOf(error)}</p>}
        {responses?.length === 0 && <p className="empty">{words.none}</p>}
        {asked && responses && responses.length > 0 &&
          asked.questions.map((question) => (
            <Result key={question.key} question={question} responses={responses} />
          ))}
      </div>
    </Sheet>
  );
}

function Result({ question, responses }: { question: Question; responses: Response[] }) {
  const { key, text, type } = question;
  const answered = responses.filter(({ answers }) => isAnswer(answers[key]));
  return (
    <section aria-label={text}>
      <h3 dir="auto">{text}</h3>
      <p className="hint">{words.answered(answered.length, responses.length)}</p>
      {type === "text"
        ? (
          <ul className="result-texts">
            {answered.map(({ id, email, created_at, answers }) => (
              <li key={id}>
                <p dir="auto">{String(answers[key])}</p>
                <small>
                  {email}, <Time at={created_at} />
                </small>
              </li>
            ))}
          </ul>
        )
        : <Counts question={question} answers={answered.map(({ answers }) => answers[key])} />}
    </section>
  );
}

function isAnswer(answer: unknown): boolean {
  return answer !== undefined && answer !== null && answer !== "" &&
    !(Array.isArray(answer) && answer.length === 0);
}

interface CountsProps {
  question: Exclude<Question, { type: "text" }>;
  answers: unknown[];
}

function Counts({ question, answers }: CountsProps) {
  const options = question.type === "scale"
    ? Array.from({ length: question.max }, (_, at) => String(at + 1))
    : question.options;
  const chosen = answers.flat().map(String);
  const rate = chosen.reduce((sum, value) => sum + Number(value), 0) / answers.length;
  return (
    <>
      <ul className="result-counts">
        {options.map((option) => {
          const count = chosen.filter((each) => each === option).length;
          return (
            <li key={option}>
              <span dir="auto">{option}</span>
              <meter aria-hidden="true" max={Math.max(1, answers.length)} value={count} />
              <b>{words.count(count, answers.length)}</b>
            </li>
          );
        })}
      </ul>
      {question.type === "scale" && answers.length > 0 && <p>{words.mean(rate, question.max)}</p>}
    </>
  );
}
