import { Menu, MenuItem, Popover } from "react-aria-components";
import type { MenuAct, Opened } from "./menu.tsx";

/** The menu of a button; shown for as long as it is rendered. */
export default function OpenMenu(
  { label, acts, trigger, close }: Opened & { label: string; acts: MenuAct[] },
) {
  const chosen = acts.flatMap(({ isChosen }, at) => isChosen ? [at] : []);
  const isChoice = acts.some(({ isChosen }) => isChosen !== undefined);
  return (
    <Popover
      className="popover"
      aria-label={label}
      placement="bottom start"
      triggerRef={trigger}
      isOpen
      onOpenChange={(isOpen) => !isOpen && close()}
    >
      <Menu
        className="menu"
        aria-label={label}
        autoFocus="first"
        {...(isChoice && { selectionMode: "single", selectedKeys: chosen })}
        onAction={(at) => {
          close();
          acts[Number(at)]!.run();
        }}
      >
        {acts.map(({ label, icon, isDanger }, at) => (
          <MenuItem key={at} id={at} className={`item${isDanger ? " danger" : ""}`} textValue={label}>
            {icon}
            {label}
          </MenuItem>
        ))}
      </Menu>
    </Popover>
  );
}
