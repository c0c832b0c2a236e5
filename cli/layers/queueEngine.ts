import * as Layer from "effect/Layer";
import { type Engine, layer as engineLayer } from "../../effects/engine/Engine.ts";
import { type EventLog, layer as eventLogLayer } from "../../effects/engine/EventLog.ts";
import type { Home } from "../../effects/home/Home.ts";
import type { Log } from "../../effects/log/Log.ts";
import { type Repos, layer as reposLayer } from "../../effects/repos/Repos.ts";
import type { LockFailed } from "../../effects/store/errors.ts";
import { layer as documentsLayer, type JsonDocuments } from "../../effects/store/JsonDocument.ts";
import type { Locks } from "../../effects/store/Locks.ts";
import type { QueueStore } from "../../effects/store/QueueStore.ts";
import { queueLayer } from "./queue.ts";

/** What verbs need that change rows: the engine with its machines, the registered repositories, the queue. */
export const queueEngineLayer: Layer.Layer<
  Engine | EventLog | Repos | JsonDocuments | QueueStore | Locks,
  LockFailed,
  Home | Log
> = engineLayer.pipe(
  Layer.provideMerge(Layer.merge(reposLayer, eventLogLayer)),
  Layer.provideMerge(documentsLayer),
  Layer.provideMerge(queueLayer),
);
