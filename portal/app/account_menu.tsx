import { Menu, MenuItem, Popover, Separator } from "react-aria-components";
import type { Me } from "../api/types.ts";
import { Clock, Gear, Keyboard, Leave, Theme } from "../ui/icons.tsx";
import type { Opened } from "../ui/menu.tsx";
import { app } from "../words/app.ts";
import { signOut } from "./sign_out.ts";
import { applyTheme, readTheme } from "./theme.ts";

interface Props extends Opened {
  role: Me["user"]["role"];
  openKeys: () => void;
}

/** The menu for the person's own account and for the portal itself. */
export default function AccountMenu({ role, trigger, openKeys, close }: Props) {
  return (
    <Popover
      className="popover"
      aria-label={app.accountMenu}
      placement="top start"
      triggerRef={trigger}
      isOpen
      onOpenChange={(isOpen) => !isOpen && close()}
    >
      <Menu className="menu" aria-label={app.accountMenu} autoFocus="first" onAction={close}>
        <MenuItem className="item" href="/settings">
          <Gear />
          {app.settings}
        </MenuItem>
        {role !== "member" && (
          <MenuItem className="item" href="/admin">
            <Clock />
            {app.admin}
          </MenuItem>
        )}
        <Separator className="separator" />
        <MenuItem className="item" onAction={() => applyTheme(nextTheme())}>
          <Theme />
          {app.useTheme(nextTheme())}
        </MenuItem>
        <MenuItem className="item" onAction={openKeys}>
          <Keyboard />
          {app.keyboard}
          <kbd>?</kbd>
        </MenuItem>
        <Separator className="separator" />
        <MenuItem className="item" onAction={() => void signOut()}>
          <Leave />
          {app.signOut}
        </MenuItem>
      </Menu>
    </Popover>
  );
}

function nextTheme() {
  return ({ system: "dark", dark: "light", light: "system" } as const)[readTheme()];
}
