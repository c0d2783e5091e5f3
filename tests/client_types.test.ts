import type { AnyTRPCProcedure, AnyTRPCRouter, inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { expect, expectTypeOf, test } from "vitest";
import type { AppRouter as Written } from "../src/client_types.ts";
import { dumpTypes } from "../src/routers/dump_types.ts";
import type { AppRouter as Inferred } from "../src/routers/root.ts";

test("the client's types are written out of the schemas as they are now", async () => {
  const written = await Deno.readTextFile(new URL("../src/client_types.ts", import.meta.url));
  expect(await dumpTypes(), "run `npm run types`").toBe(written);
});

// The compiler runs these: where one fails, it names the calls that differ. Run `npm run types`.
test("the client's types are equal to those that the router infers", () => {
  expectTypeOf<Differing<inferRouterInputs<Written>, inferRouterInputs<Inferred>>>().toBeNever(); // else: npm run types
  expectTypeOf<Differing<inferRouterOutputs<Written>, inferRouterOutputs<Inferred>>>().toBeNever(); // else: npm run types
  expectTypeOf<Kinds<Written>>().toEqualTypeOf<Kinds<Inferred>>();
  expectTypeOf<Failure<Written>>().toEqualTypeOf<Failure<Inferred>>();
});

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
/** The same type without intersections, which the inferred one has in some places. */
type Plain<T> = T extends object ? T extends infer Whole ? { [Key in keyof Whole]: Plain<Whole[Key]> } : never
  : T;

type Differing<A, B> =
  | Exclude<keyof A, keyof B>
  | Exclude<keyof B, keyof A>
  | { [Key in keyof A & keyof B]: DifferingCalls<Key, A[Key], B[Key]> }[keyof A & keyof B];
type DifferingCalls<Resource, A, B> =
  | Exclude<keyof A, keyof B>
  | Exclude<keyof B, keyof A>
  | {
    [Key in keyof A & keyof B]: Equal<Plain<A[Key]>, Plain<B[Key]>> extends true ? never : [Resource, Key];
  }[keyof A & keyof B];

/** Which procedures are queries, and which are mutations. */
type Kinds<Router extends AnyTRPCRouter> = KindsOf<Router["_def"]["record"]>;
type KindsOf<Level> = {
  [Name in keyof Level]: Level[Name] extends AnyTRPCProcedure ? Level[Name]["_def"]["type"]
    : KindsOf<Level[Name]>;
};
type Failure<Router extends AnyTRPCRouter> = Router["_def"]["_config"]["$types"]["errorShape"];
