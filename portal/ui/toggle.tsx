import type { ReactNode } from "react";
import { Button } from "react-aria-components";

interface Props {
  className: string;
  isOn: boolean;
  change: (isOn: boolean) => void;
  isDisabled?: boolean;
  children: ReactNode;
}

/** A button that is on or off. */
export function Toggle({ isOn, change, ...button }: Props) {
  return <Button {...button} aria-pressed={isOn} onPress={() => change(!isOn)} />;
}
