import { useQuery } from "@tanstack/react-query";
import { storageQuery } from "../data/operations.ts";
import { Section } from "../ui/section.tsx";
import { admin as words } from "../words/admin.ts";

const count = new Intl.NumberFormat();
const megabytes = new Intl.NumberFormat([], { style: "unit", unit: "megabyte", maximumFractionDigits: 1 });
const inMegabytes = (bytes: number) => megabytes.format(bytes / 1_000_000);

/** Shows what the database takes on disk, by table. */
export function Storage() {
  const { data } = useQuery(storageQuery);
  return (
    <Section
      title={`${words.sections.storage}${data ? `: ${inMegabytes(data.bytes)}` : ""}`}
      hint={words.storageHint}
    >
      <div className="table-scroll">
        <table className="facts-table">
          <thead>
            <tr>
              <th>{words.table}</th>
              <th className="number">{words.rows}</th>
              <th className="number">{words.size}</th>
            </tr>
          </thead>
          <tbody>
            {data?.tables.slice(0, 30).map(({ name, rows, bytes, index_bytes }) => (
              <tr key={name}>
                <td>{name}</td>
                <td className="number">{rows === null ? "" : count.format(rows)}</td>
                <td className="number">{inMegabytes(bytes + index_bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
