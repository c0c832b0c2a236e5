import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as after } from "node:timers/promises";
import type { QueueRow } from "../src/queue/row.ts";
import type { Section } from "./Bench.ts";
import { atMost } from "./BenchRow.ts";
import { runAdk } from "./program.ts";
import { preparedRows, queueHome } from "./queueHome.ts";
import { median } from "./statistics.ts";

const rowCount = 200;
const latencyMs = 80;

const withNode = (row: QueueRow): QueueRow => ({ ...row, node_id: `PR_${row.pr_number}` });

/** What GitHub's GraphQL says of a row that nothing has happened to. */
const nodeOf = (row: QueueRow) => ({
  id: row.node_id,
  number: row.pr_number,
  title: row.title,
  body: "",
  state: "OPEN",
  isDraft: row.is_draft,
  mergedAt: null,
  authorAssociation: "MEMBER",
  author: { __typename: "User", login: row.author, databaseId: 7 },
  headRefName: row.head_ref,
  headRefOid: row.head_sha,
  headRepository: { nameWithOwner: "acme/shop" },
  baseRefName: row.target_branch,
  baseRefOid: row.merge_base,
  additions: row.additions,
  deletions: row.deletions,
  changedFiles: row.changed_files,
  autoMergeRequest: null,
  isInMergeQueue: false,
  reviewDecision: null,
  repository: { nameWithOwner: "acme/shop" },
});

/** A host that answers batches by lasting id, each after the latency, and counts them. */
const startHost = async (rows: ReadonlyArray<QueueRow>) => {
  const nodes = new Map(rows.map((row) => [row.node_id, nodeOf(row)]));
  const host = { requests: 0 };
  const server = createServer(async (request, response) => {
    host.requests += 1;
    const chunks: Array<Buffer> = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    await after(latencyMs);
    const { variables } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as {
      readonly variables: Readonly<Record<string, string>>;
    };
    const data = Object.fromEntries(
      Object.entries(variables).map(([name, id]) => [name.replace(/^id/, "p"), nodes.get(id) ?? null]),
    );
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    host,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** `pr-queue update --all` as a whole process against a host that is 80 ms away (issue "the outside"). */
export const updating: Section = async (bench) => {
  const rows = preparedRows(rowCount).map(withNode);
  const home = queueHome(bench, "update-200", rows);
  const { host, url, close } = await startHost(rows);
  const env = { GITHUB_API_URL: url, GITHUB_TOKEN: "benchmark" };
  const seconds: Array<number> = [];
  const requests: Array<number> = [];
  for (let run = 0; run <= (bench.quick ? 1 : 5); run++) {
    const before = host.requests;
    const ended = await runAdk(bench, ["pr-queue", "update", "--all", "--json"], { home, env });
    const { checked, unchanged } = JSON.parse(ended.stdout) as { readonly checked: number; readonly unchanged: number };
    if (checked !== rowCount || unchanged !== rowCount) throw new Error(`${unchanged} of ${checked} rows were read`);
    if (run === 0) continue;
    seconds.push(ended.seconds);
    requests.push(host.requests - before);
  }
  close();
  const note = `best ${Math.min(...seconds).toFixed(2)} s`;
  return [
    atMost(2, { name: "update --all, 200 rows at 80 ms", value: median(seconds), unit: "s, whole process", note }),
    atMost(10, { name: "update --all, 200 rows", value: Math.max(...requests), unit: "requests" }),
  ];
};
