import type { ReactNode } from "react";

function Icon({ children }: { children: ReactNode }) {
  return (
    <svg
      className="icon"
      viewBox="0 0 16 16"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {children}
    </svg>
  );
}
export const Plus = () => (
  <Icon>
    <path d="M8 3v10M3 8h10" />
  </Icon>
);
export const Search = () => (
  <Icon>
    <circle cx="7" cy="7" r="4.2" />
    <path d="m10.5 10.5 3 3" />
  </Icon>
);
export const Moon = () => (
  <Icon>
    <path d="M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5Z" />
  </Icon>
);
export const Close = () => (
  <Icon>
    <path d="m4 4 8 8M12 4l-8 8" />
  </Icon>
);
export const Check = () => (
  <Icon>
    <path d="m3.5 8.5 3 3 6-7" />
  </Icon>
);
export const Board = () => (
  <Icon>
    <rect x="2.5" y="2.5" width="3" height="11" rx="1" />
    <rect x="6.75" y="2.5" width="3" height="8" rx="1" />
    <rect x="11" y="2.5" width="3" height="5" rx="1" />
  </Icon>
);
export const Move = () => (
  <Icon>
    <path d="M2.5 8h10M9 4.5 12.5 8 9 11.5" />
  </Icon>
);
export const Warn = () => (
  <Icon>
    <path d="M8 2.5 14 13H2L8 2.5ZM8 6.5v3M8 11.4v.1" />
  </Icon>
);
export const Branch = () => (
  <Icon>
    <circle cx="4" cy="4" r="1.6" />
    <circle cx="4" cy="12" r="1.6" />
    <circle cx="12" cy="6" r="1.6" />
    <path d="M4 5.6v4.8M12 7.6c0 2-4 1.4-7 3" />
  </Icon>
);

const SHAPES = {
  bug: (
    <>
      <rect x="5" y="5" width="6" height="8" rx="3" />
      <path d="M8 5v8M2.8 6.5 5 7.6M13.2 6.5 11 7.6M2.8 12 5 10.8M13.2 12 11 10.8M6 4.6a2 2 0 0 1 4 0" />
    </>
  ),
  clarification_needed: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M6.4 6.4a1.7 1.7 0 1 1 2.3 1.7c-.5.2-.7.5-.7 1M8 11.2v.1" />
    </>
  ),
  decision_needed: (
    <>
      <path d="M8 14V8M8 8 3.5 3.5M8 8l4.5-4.5M3.5 6V3.5H6M10 3.5h2.5V6" />
    </>
  ),
  feature_request: (
    <>
      <path d="m8 2.2 1.6 3.9 4.2.3-3.2 2.7 1 4.1L8 11l-3.6 2.2 1-4.1L2.2 6.4l4.2-.3L8 2.2Z" />
    </>
  ),
};
export const TypeIcon = ({ type }: { type: keyof typeof SHAPES }) => (
  <span className={`type ${type}`}>
    <Icon>{SHAPES[type]}</Icon>
  </span>
);

/** Three bars. The higher the priority is, the more of them are full. */
export function PriorityIcon({ priority }: { priority: "low" | "medium" | "high" }) {
  const full = { low: 1, medium: 2, high: 3 }[priority];
  return (
    <svg className={`icon priority ${priority}`} viewBox="0 0 16 16" aria-hidden="true">
      {[0, 1, 2].map((bar) => (
        <rect
          key={bar}
          x={2.5 + bar * 4}
          y={9 - bar * 3}
          width="3"
          height={5 + bar * 3}
          rx="1"
          opacity={bar < full ? 1 : 0.25}
        />
      ))}
    </svg>
  );
}

/** A ring that shows how much of a ticket's work is done. */
export function StageIcon({ stage }: { stage: string }) {
  const part = { backlog: 0, up_next: 0.01, in_progress: 0.5, validation: 0.8, live: 1 }[stage] ?? 0;
  return (
    <svg className={`icon stage ${stage}`} viewBox="0 0 16 16" aria-hidden="true">
      <circle
        cx="8"
        cy="8"
        r="6"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeDasharray={stage === "backlog" ? "2 2.2" : undefined}
      />
      {part === 1
        ? (
          <>
            <circle cx="8" cy="8" r="6.6" fill="currentColor" />
            <path
              d="m5.2 8.2 2 2 3.6-4.2"
              fill="none"
              stroke="var(--surface)"
              strokeWidth="1.6"
              strokeLinecap="round"
              strokeLinejoin="round"
            />
          </>
        )
        : part > 0.1 && (
          <circle
            cx="8"
            cy="8"
            r="2"
            fill="none"
            stroke="currentColor"
            strokeWidth="4"
            strokeDasharray={`${part * 12.57} 12.57`}
            transform="rotate(-90 8 8)"
          />
        )}
    </svg>
  );
}

export const List = () => (
  <Icon>
    <path d="M6 4h7.5M6 8h7.5M6 12h7.5M2.8 4h.1M2.8 8h.1M2.8 12h.1" />
  </Icon>
);
export const Waiting = () => (
  <Icon>
    <path d="M2.5 9.5V12a1.5 1.5 0 0 0 1.5 1.5h8a1.5 1.5 0 0 0 1.5-1.5V9.5M2.5 9.5l1.8-6A1.4 1.4 0 0 1 5.6 2.5h4.8a1.4 1.4 0 0 1 1.3 1l1.8 6M2.5 9.5h3l1 2h3l1-2h3" />
  </Icon>
);
export const Bell = () => (
  <Icon>
    <path d="M4 7a4 4 0 0 1 8 0c0 3.5 1.5 4.5 1.5 4.5h-11S4 10.5 4 7ZM6.7 13.700a1.5 1.5 0 0 0 2.6 0" />
  </Icon>
);
export const Projects = () => (
  <Icon>
    <rect x="2.5" y="2.5" width="4.5" height="4.5" rx="1" />
    <rect x="9" y="2.5" width="4.5" height="4.5" rx="1" />
    <rect x="2.5" y="9" width="4.5" height="4.5" rx="1" />
    <rect x="9" y="9" width="4.5" height="4.5" rx="1" />
  </Icon>
);
export const Spark = () => (
  <Icon>
    <path d="M8 2.5 9.3 6.7 13.5 8 9.3 9.3 8 13.5 6.7 9.3 2.5 8l4.2-1.300L8 2.500Z" />
  </Icon>
);
export const Gear = () => (
  <Icon>
    <path d="M2.5 4.500h6M11.5 4.500h2M2.5 11.500h2M7.5 11.500h6" />
    <circle cx="10" cy="4.5" r="1.5" />
    <circle cx="6" cy="11.5" r="1.5" />
  </Icon>
);
export const Clock = () => (
  <Icon>
    <circle cx="8" cy="8" r="5.5" />
    <path d="M8 5v3.200l2 1.3" />
  </Icon>
);
export const Theme = Moon;
export const Keyboard = () => (
  <Icon>
    <rect x="1.8" y="4" width="12.4" height="8" rx="1.5" />
    <path d="M4.5 6.700h.1M7 6.700h.1M9.4 6.700h.1M11.6 6.700h.1M5.5 9.500h5" />
  </Icon>
);
export const Leave = () => (
  <Icon>
    <path d="M6.5 2.500h-2A1.5 1.5 0 0 0 3 4v8a1.5 1.5 0 0 0 1.5 1.500h2M10 5l3 3-3 3M13 8H6.5" />
  </Icon>
);
export const Robot = () => (
  <Icon>
    <rect x="3" y="5.5" width="10" height="7.5" rx="2" />
    <path d="M8 5.500V3M6 9v.1M10 9v.1M1.5 8.500v2M14.5 8.500v2" />
  </Icon>
);
export const Pencil = () => (
  <Icon>
    <path d="m3 13 .6-2.6 7-7a1.4 1.4 0 0 1 2 2l-7 7L3 13Z" />
  </Icon>
);
export const More = () => (
  <Icon>
    <path d="M3.5 8h.1M8 8h.1M12.5 8h.1" />
  </Icon>
);
export const Expand = () => (
  <Icon>
    <path d="M9.5 2.500h4v4M13.5 2.5 9 7M6.5 13.500h-4v-4M2.5 13.5 7 9" />
  </Icon>
);
export const Up = () => (
  <Icon>
    <path d="M8 13V3.500M4 7l4-4 4 4" />
  </Icon>
);
export const Down = () => (
  <Icon>
    <path d="M8 3v9.500M4 9l4 4 4-4" />
  </Icon>
);
export const Trash = () => (
  <Icon>
    <path d="M3 4.500h10M6.5 4.500V3h3v1.500M4.5 4.500l.5 8.500h6l.5-8.5" />
  </Icon>
);
export const Copy = () => (
  <Icon>
    <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
    <path d="M10.5 5.500v-2A1 1 0 0 0 9.5 2.500h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2" />
  </Icon>
);
export const Question = () => <Icon>{SHAPES.clarification_needed}</Icon>;
export const Comment = () => (
  <Icon>
    <path d="M2.5 4A1.5 1.5 0 0 1 4 2.500h8A1.5 1.5 0 0 1 13.5 4v5.500A1.5 1.5 0 0 1 12 11H7l-3 2.500V11A1.5 1.5 0 0 1 2.5 9.500V4Z" />
  </Icon>
);
export const Flask = () => (
  <Icon>
    <path d="M6.5 2.500v4L3.3 12a1 1 0 0 0 .9 1.500h7.600a1 1 0 0 0 .9-1.500L9.5 6.500v-4M5.5 2.500h5M5 10h6" />
  </Icon>
);
export const Link = () => (
  <Icon>
    <path d="M6.5 9.5 9.5 6.500M7 4.500l1.3-1.300a2.8 2.8 0 0 1 4 4L11 8.500M9 11.500l-1.3 1.300a2.8 2.8 0 0 1-4-4L5 7.5" />
  </Icon>
);
export const Rocket = () => (
  <Icon>
    <path d="M9 11.5 5 7.500C6 4.5 9 2.5 13.5 2.5 13.5 7 11.5 10 9 11.500ZM5 7.500H2.800L5 5M9 11.500v2.200l2.3-2.200M4.5 11.500c-1 .5-1.5 2-1.5 2s1.5-.5 2-1.5" />
  </Icon>
);
export const Tasks = () => (
  <Icon>
    <path d="m2.5 4.2 1.2 1.2 2-2.4M2.5 11l1.2 1.2 2-2.4M8.5 4.5h5M8.5 11.5h5" />
  </Icon>
);
export const Archive = () => (
  <Icon>
    <path d="M2.5 3h11v3h-11zM3.5 6v7h9V6M6.5 8.500h3" />
  </Icon>
);
export const Calendar = () => (
  <Icon>
    <rect x="2.5" y="3.5" width="11" height="10" rx="1.5" />
    <path d="M2.5 6.8h11M5.5 2v2.5M10.5 2v2.5" />
  </Icon>
);
export const Flag = () => (
  <Icon>
    <path d="M4 14V2.5M4 3h8l-2 3 2 3H4" />
  </Icon>
);
export const Assignee = () => (
  <Icon>
    <circle cx="8" cy="5.5" r="2.5" />
    <path d="M3 13.5c.6-2.600 2.500-4 5-4s4.400 1.400 5 4" />
  </Icon>
);
export const Tag = () => (
  <Icon>
    <path d="M2.5 2.500h5.500l5.500 5.500-5.500 5.500-5.500-5.500zM5.500 5.500h.01" />
  </Icon>
);
export const Estimate = () => (
  <Icon>
    <path d="M8 3 14 13H2L8 3Z" />
  </Icon>
);
export const Children = () => (
  <Icon>
    <path d="M4 2.5v8.5a1.5 1.5 0 0 0 1.5 1.5H8M4 6.5h4" />
    <rect x="9.5" y="4.5" width="4" height="4" rx="1" />
    <rect x="9.5" y="10.5" width="4" height="4" rx="1" />
  </Icon>
);
export const Stop = () => (
  <Icon>
    <circle cx="8" cy="8" r="5.5" />
    <path d="m4.2 4.2 7.6 7.6" />
  </Icon>
);
export const ChevronRight = () => (
  <Icon>
    <path d="m6 3.5 4.5 4.5L6 12.5" />
  </Icon>
);
export const View = () => (
  <Icon>
    <path d="M2.5 4h11M4.500 8h7M6.500 12h3" />
  </Icon>
);
export const Pin = () => (
  <Icon>
    <path d="M5.500 2.500h5l-.7 4.500 2.200 2.500H4l2.200-2.500-.7-4.500ZM8 9.500v4" />
  </Icon>
);
export const Users = () => (
  <Icon>
    <circle cx="6" cy="5.5" r="2.5" />
    <path d="M1.500 13c.3-2.600 2-4 4.500-4s4.200 1.400 4.500 4M10.500 3.200a2.500 2.500 0 0 1 0 4.600M12 9.400c1.500.6 2.300 1.800 2.500 3.600" />
  </Icon>
);
