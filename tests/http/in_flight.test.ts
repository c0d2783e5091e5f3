import { expect, test } from "vitest";
import { InFlight } from "../../src/http/in_flight.ts";

test("a bag holds each thing that was put in and not taken out once, in any order of taking", () => {
  const bag = new InFlight<string>();
  const [a, b, c] = ["a", "b", "c"].map((item) => bag.add(item));
  a!();
  a!();
  expect([bag.size, bag.items().sort()]).toEqual([2, ["b", "c"]]);
  const again = bag.add("a");
  c!();
  b!();
  b!();
  expect(bag.items()).toEqual(["a"]);
  again();
  expect(bag.size).toBe(0);
});

test("a reader of a bag may take things out of it while it reads", () => {
  const bag = new InFlight<() => void>();
  let rung = 0;
  for (let index = 0; index < 3; index++) {
    const takeOut = bag.add(() => {
      rung++;
      takeOut();
    });
  }
  for (const ring of bag.items()) ring();
  expect([rung, bag.size]).toEqual([3, 0]);
});
