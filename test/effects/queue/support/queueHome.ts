import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Either from "effect/Either";
import * as Layer from "effect/Layer";
import * as Engine from "../../../../effects/engine/Engine.ts";
import * as EventLog from "../../../../effects/engine/EventLog.ts";
import * as Git from "../../../../effects/git/Git.ts";
import { Home, layer as homeLayer } from "../../../../effects/home/Home.ts";
import * as Log from "../../../../effects/log/Log.ts";
import { NotFoundOnHost } from "../../../../effects/platform/errors.ts";
import { oneByOne } from "../../../../effects/platform/PlatformReader.ts";
import { PullRequests } from "../../../../effects/platform/PullRequests.ts";
import * as Repos from "../../../../effects/repos/Repos.ts";
import * as Settings from "../../../../effects/settings/Settings.ts";
import * as JsonDocument from "../../../../effects/store/JsonDocument.ts";
import * as Locks from "../../../../effects/store/Locks.ts";
import * as QueueStore from "../../../../effects/store/QueueStore.ts";
import { identityKey } from "../../../../src/names.ts";
import type { PrMetadata } from "../../../../src/pr/prMetadata.ts";
import type { QueueRow } from "../../../../src/queue/row.ts";

type Pulls = Context.Tag.Service<PullRequests>;

const absent = new NotFoundOnHost({ message: "no such PR", hint: "check its number", host: "github.com" });

/** Hosts that know exactly these PRs, by identity key; a failure stands for itself. Counts what it is asked. */
export const fakeHosts = (
  known: Readonly<Record<string, PrMetadata | Effect.Effect.Error<ReturnType<Pulls["metadata"]>>>>,
): { readonly service: Pulls; readonly asked: Array<string> } => {
  const asked: Array<string> = [];
  const metadata: Pulls["metadata"] = (pr) =>
    Effect.suspend(() => {
      asked.push(pr.pr_url);
      const found = known[identityKey(pr)] ?? absent;
      return "_tag" in found ? Effect.fail(found) : Effect.succeed(found);
    });
  return {
    asked,
    service: PullRequests.of({
      metadata,
      metadataAll: oneByOne(metadata, 8),
      conversation: () => Effect.die("not asked for in this test"),
      resolveLocal: () => Effect.die("not asked for in this test"),
      credentialFor: () => Effect.succeed(null),
      anonymousBudget: () => Effect.succeed(null),
    }),
  };
};

/** What the host says of a row that nothing has happened to. */
export const metaOf = (row: QueueRow, changes: Partial<PrMetadata> = {}): PrMetadata => ({
  node_id: row.node_id,
  title: row.title ?? "",
  author: row.author,
  author_id: "1",
  author_association: "MEMBER",
  body: "",
  head_sha: row.head_sha ?? "",
  head_ref: row.head_ref ?? "",
  head_repo_deleted: false,
  target_branch: row.target_branch ?? "",
  base_sha: "c".repeat(40),
  is_draft: row.is_draft,
  additions: row.additions ?? 0,
  deletions: row.deletions ?? 0,
  changed_files: row.changed_files ?? 0,
  merged_at: null,
  state: "open",
  disposition: "open",
  clone_url: "https://github.com/acme/shop.git",
  pull_ref: `refs/pull/${row.pr_number}/head`,
  auto_merge: null,
  in_merge_queue: null,
  review_decision: null,
  renamed_to: null,
  ...changes,
});

const temporaryHome = Layer.scoped(
  Home,
  Effect.gen(function* () {
    const data = yield* Effect.acquireRelease(
      Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "adk-queue-")))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
    );
    return yield* Home.pipe(Effect.provide(homeLayer({ env: { ADK_DATA_HOME: data } })));
  }),
);

/** Everything that queue services need over a data home of their own: real files, locks, engine and git; given hosts. */
export const queueHome = (hosts: Pulls = fakeHosts({}).service) =>
  Engine.layer.pipe(
    Layer.provideMerge(Layer.merge(Repos.layer, EventLog.layer)),
    Layer.provideMerge(JsonDocument.layer),
    Layer.provideMerge(Git.layer),
    Layer.provideMerge(QueueStore.layer),
    Layer.provideMerge(Locks.layer),
    Layer.provideMerge(Layer.mergeAll(Log.silent, Settings.layerTest(), Layer.succeed(PullRequests, hosts))),
    Layer.provideMerge(temporaryHome),
  );

/** The services of `queueHome`. */
export type QueueHome = Layer.Layer.Success<ReturnType<typeof queueHome>>;

/** Puts rows into the queue as they are. */
export const put = (rows: ReadonlyArray<QueueRow>) =>
  Effect.flatMap(QueueStore.QueueStore, (store) =>
    store.transact((queue) => Either.right({ queue: { ...queue, prs: rows }, result: undefined })),
  );

/** The rows as the file has them, by number. */
export const rowsNow = Effect.flatMap(QueueStore.QueueStore, (store) =>
  Effect.map(store.read, (queue) => new Map(queue.prs.map((row) => [row.pr_number, row]))),
);
