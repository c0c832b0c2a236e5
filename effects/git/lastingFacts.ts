import * as Effect from "effect/Effect";

/**
 * A memory for what can never change, such as the tree of a commit: asked once, then answered from here. The least
 * recently asked goes first when the sizes add up to more than `maxSize`. Null ("not here") is not kept, because a
 * fetch may bring it; nor is a failure.
 */
export const lastingFacts = <A>(options: { readonly maxSize: number; readonly sizeOf: (fact: A) => number }) => {
  const known = new Map<string, A>();
  let size = 0;
  const forget = (key: string): void => {
    const fact = known.get(key);
    if (fact === undefined) return;
    known.delete(key);
    size -= options.sizeOf(fact);
  };
  const keep = (key: string, fact: A): void => {
    forget(key);
    known.set(key, fact);
    size += options.sizeOf(fact);
    for (const [oldest] of known) {
      if (size <= options.maxSize) return;
      forget(oldest);
    }
  };
  return <E, R>(key: ReadonlyArray<string>, ask: Effect.Effect<A | null, E, R>): Effect.Effect<A | null, E, R> =>
    Effect.suspend(() => {
      const name = key.join("\0");
      const fact = known.get(name);
      if (fact !== undefined) {
        keep(name, fact);
        return Effect.succeed(fact);
      }
      return Effect.tap(ask, (answer) => (answer === null ? Effect.void : Effect.sync(() => keep(name, answer))));
    });
};
