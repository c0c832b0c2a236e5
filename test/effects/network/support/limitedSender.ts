// One process that sends requests in its turn: DATA_HOME URL COUNT PER_MINUTE. Prints what it did, one JSON line a thing.
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import { layer as homeLayer } from "../../../../effects/home/Home.ts";
import { silent } from "../../../../effects/log/Log.ts";
import { HostLimits, layer } from "../../../../effects/network/HostLimits.ts";
import { layer as locksLayer } from "../../../../effects/store/Locks.ts";
import { limitOf } from "../../../../src/network/limitHeaders.ts";

const [data = "", url = "", count = "0", perMinute = "0"] = process.argv.slice(2);
const pace = { key: "limited.test rest", host: "limited.test", perMinute: Number(perMinute), maxWaitMs: 5_000 };
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const one = Effect.gen(function* () {
  const limits = yield* HostLimits;
  const turn = yield* Effect.either(limits.turn(pace));
  if (Either.isLeft(turn)) return say({ refused: turn.left.retry_at });
  const at = Date.now();
  const answer = yield* Effect.promise(() => fetch(url));
  yield* Effect.promise(() => answer.arrayBuffer());
  say({ sent: at, status: answer.status });
  const said = limitOf(answer.headers, Date.now());
  yield* limits.heard(pace, said);
  if (said.blockedUntil !== undefined) say({ heard: Date.now(), until: said.blockedUntil });
});

const live = layer.pipe(
  Layer.provide(locksLayer),
  Layer.provide(homeLayer({ env: { ADK_DATA_HOME: data } })),
  Layer.provide(silent),
);
await Effect.runPromise(
  Effect.provide(
    Effect.forEach(Array.from({ length: Number(count) }), () => one, { discard: true }),
    live,
  ),
);
