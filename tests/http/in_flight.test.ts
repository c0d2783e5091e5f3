import { expect, test } from "vitest";
import { InFlight } from "../../src/http/in_flight.ts";

test("a bag holds what was put in and not taken out, each once, in whatever order it goes", () => {
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

test("what is read of a bag may take out of it meanwhile", () => {
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
