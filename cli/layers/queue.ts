import * as Layer from "effect/Layer";
import type { Home } from "../../effects/home/Home.ts";
import type { LockFailed } from "../../effects/store/errors.ts";
import { type Locks, layer as locksLayer } from "../../effects/store/Locks.ts";
import { type QueueStore, layer as queueStoreLayer } from "../../effects/store/QueueStore.ts";

/** The queue file and the locks: all that verbs need which only read rows. Loads no machine, no git, no network. */
export const queueLayer: Layer.Layer<QueueStore | Locks, LockFailed, Home> = Layer.provideMerge(
  queueStoreLayer,
  locksLayer,
);
