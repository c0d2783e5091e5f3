import { useQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components";
import { sayDone, sayRefused } from "../app/toasts.tsx";
import { failedJobsQuery, queuesQuery, retryJob } from "../data/operations.ts";
import { Rows, RowText } from "../ui/rows.tsx";
import { Section } from "../ui/section.tsx";
import { Time } from "../ui/time.tsx";
import { admin as words } from "../words/admin.ts";

/** Jobs that failed, and how full each queue is. */
export function Jobs() {
  const { data: jobs, error } = useQuery(failedJobsQuery);
  const { data: queues } = useQuery(queuesQuery);
  const retry = (id: string) => void retryJob(id).then(() => sayDone(words.retried), sayRefused);
  return (
    <>
      <Section title={words.failedJobs}>
        <Rows
          label={words.failedJobs}
          rows={jobs?.jobs}
          error={error}
          keyOf={({ id }) => id}
          empty={words.noFailedJobs}
        >
          {({ id, queue, error, created_at }) => (
            <>
              <RowText name={queue}>{error}</RowText>
              <Time at={created_at} />
              <Button className="button" onPress={() => retry(id)}>{words.retry}</Button>
            </>
          )}
        </Rows>
      </Section>
      <Section title={words.queues}>
        <div className="table-scroll">
          <table className="facts-table">
            <thead>
              <tr>
                <th>{words.queue}</th>
                <th className="number">{words.waiting}</th>
                <th className="number">{words.active}</th>
                <th className="number">{words.failed}</th>
              </tr>
            </thead>
            <tbody>
              {queues?.queues.map(({ name, waiting, active, failed }) => (
                <tr key={name}>
                  <td>{name}</td>
                  <td className="number">{waiting}</td>
                  <td className="number">{active}</td>
                  <td className="number">{failed}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Section>
    </>
  );
}
