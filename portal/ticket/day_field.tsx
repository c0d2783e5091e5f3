interface DayProps {
  label: string;
  value: string;
  change: (day: string) => void;
  isFirst?: boolean;
}

/** The platform's own field for a day, which works by keyboard and on a phone. */
export function DayField({ label, value, change, isFirst = false }: DayProps) {
  return (
    <label>
      {label}
      <input
        type="date"
        className="react-aria-Input"
        max="9999-12-31"
        value={value}
        autoFocus={isFirst}
        onChange={(event) => change(event.currentTarget.value)}
      />
    </label>
  );
}
