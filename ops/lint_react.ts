/**
 * Rules of React for `deno lint`: effects say what they depend on, and nothing writes a ref or looks
 * at the page while a component is drawn. React may draw a component twice, or draw it and throw the
 * result away.
 */

/** The fields of a node of the syntax tree that the rules read. */
interface Node {
  type: string;
  name?: string;
  id?: Node | null;
  callee?: Node;
  arguments?: unknown[];
  left?: Node;
  object?: Node;
  property?: Node;
  parent?: Node;
}

interface Context {
  report(problem: { node: Node; message: string }): void;
}

const EFFECTS: ReadonlySet<string> = new Set(["useEffect", "useLayoutEffect", "useInsertionEffect"]);

export default {
  name: "portal",
  rules: {
    "effect-dependencies": {
      create: (context: Context) => ({
        CallExpression(node: Node) {
          const { name = "" } = node.callee ?? {};
          if (!EFFECTS.has(name) || node.arguments!.length > 1) return;
          context.report({ node, message: `${name} has no list of what it depends on` });
        },
      }),
    },
    "no-ref-while-drawing": {
      create: (context: Context) => ({
        AssignmentExpression(node: Node) {
          if (!isCurrent(node.left) || !isDrawing(node)) return;
          context.report({ node, message: "A ref is written while the component is drawn" });
        },
        MemberExpression(node: Node) {
          if (!isNamed(node.object, "document") || !isNamed(node.property, "activeElement")) return;
          if (!isDrawing(node)) return;
          context.report({ node, message: "The page is read while the component is drawn" });
        },
      }),
    },
  },
};

function isCurrent(node: Node | undefined): boolean {
  return node?.type === "MemberExpression" && isNamed(node.property, "current");
}

function isNamed(node: Node | undefined, name: string): boolean {
  return node?.type === "Identifier" && node.name === name;
}

/** Whether a node runs while a component or a hook runs, and not in a function inside of it. */
function isDrawing(node: Node): boolean {
  let at: Node | undefined = node;
  while (at && !/Function(Declaration|Expression)$/.test(at.type)) at = at.parent;
  const id = at?.id ?? (at?.parent?.type === "VariableDeclarator" ? at.parent.id : null);
  return /^(use[A-Z]|[A-Z])/.test(id?.name ?? "");
}
