import assert from "node:assert/strict";
import { addLocal, type Transition } from "../support/world.ts";
import { baseIs, ends, inWorld, push, recorded, stands } from "./support.ts";

type Chapter = (program?: string) => Promise<ReadonlyArray<Transition>>;

/** A row is prepared, moves, is prepared again, ends and comes back. */
export const rowThatMoves: Chapter = (program) =>
  inWorld(program, async (world) => {
    const [round, tax] = ["local:shop#1", "local:shop#2"] as const;
    await addLocal(world, world.shop, "round");
    await ends(world, 0, ["pr-sync"]);
    assert.equal(stands(world, round, "ready").prep_head_sha, world.shop.sha("round"));

    push(world.shop, "round");
    await ends(world, 0, ["pr-queue", "update", round]);
    assert.equal(stands(world, round, "pending").head_sha, world.shop.sha("round"));
    assert.equal((await ends(world, 0, ["pr-task", "prepare", round])).body.outcome, "prepared");
    assert.equal((await ends(world, 0, ["pr-task", "prepare", round])).body.outcome, "already");
    stands(world, round, "ready");

    const head = world.shop.sha("round");
    world.shop.deleteBranch("round");
    await ends(world, 0, ["pr-queue", "update", round]);
    assert.equal(stands(world, round, "ready").status, "closed");
    recorded(world, "shop#1", "ready", "PR_ENDED", "ready");
    world.shop.branch("round", head);
    await ends(world, 0, ["pr-queue", "update", round]);
    assert.equal(stands(world, round, "ready").status, "pending");
    recorded(world, "shop#1", "ready", "PR_REOPENED", "ready");

    await addLocal(world, world.shop, "tax");
    const at = world.shop.sha("tax");
    world.shop.deleteBranch("tax");
    await ends(world, 0, ["pr-queue", "update", tax]);
    assert.equal(stands(world, tax, "skipped").status, "closed");
    world.shop.branch("tax", at);
    push(world.shop, "tax");
    await ends(world, 0, ["pr-queue", "update", tax]);
    assert.equal(stands(world, tax, "pending").status, "pending");
    recorded(world, "shop#2", "skipped", "KEY_MOVED", "skipped");
    recorded(world, "shop#2", "skipped", "PR_REOPENED", "pending");

    const merged = world.shop.sha("tax");
    world.shop.deleteBranch("tax");
    await ends(world, 0, ["pr-queue", "update", tax]);
    world.shop.branch("tax", merged);
    world.shop.branch("main", merged);
    await ends(world, 0, ["pr-queue", "update", tax]);
    assert.equal(stands(world, tax, "skipped").status, "merged");
    recorded(world, "shop#2", "skipped", "PR_ENDED", "skipped");
  });

/** Three failed tries, then only by hand; a move or an end takes a failed row out. */
export const rowThatFails: Chapter = (program) =>
  inWorld(program, async (world) => {
    const url = "local:report#1";
    const broken = "prepare.begun:1:EIO";
    await addLocal(world, world.report, "refunds");
    for (const attempt of [1, 2, 3]) {
      const { body } = await ends(world, 1, ["pr-sync"], broken);
      assert.equal(body.status, "failed");
      assert.match(body.failed[0].error, /prepare\.begun/);
      stands(world, url, "failed", attempt);
    }
    assert.equal((await ends(world, 0, ["pr-sync"])).body.summary.skipped, 1);
    stands(world, url, "failed", 3);
    await ends(world, 0, ["pr-task", "prepare", url]);
    stands(world, url, "ready");

    push(world.report, "refunds");
    await ends(world, 1, ["pr-sync"], broken);
    stands(world, url, "failed", 1);
    push(world.report, "refunds");
    await ends(world, 0, ["pr-queue", "update", url]);
    stands(world, url, "pending", 0);

    await ends(world, 1, ["pr-sync"], broken);
    await world.killed(["pr-sync"], "prepare.started:1:kill");
    stands(world, url, "preparing", 1);
    await ends(world, 0, ["pr-sync", "--plan-only"]);
    stands(world, url, "pending", 1);
    push(world.report, "refunds");
    await ends(world, 0, ["pr-queue", "update", url]);
    stands(world, url, "pending", 0);

    await ends(world, 1, ["pr-sync"], broken);
    world.report.deleteBranch("refunds");
    await ends(world, 0, ["pr-queue", "update", url]);
    assert.equal(stands(world, url, "skipped", 1).status, "closed");
  });

/** What a killed sync leaves — rows that wait and rows at work — moves, ends, or is put back. */
export const rowThatIsCutOff: Chapter = (program) =>
  inWorld(program, async (world) => {
    const [a, b] = ["local:shop#1", "local:shop#2"] as const;
    await addLocal(world, world.shop, "fix-a", "release/v2");
    await addLocal(world, world.shop, "fix-b", "release/v2");
    await world.killed(["pr-sync"], "base.started:1:kill");
    stands(world, a, "waiting_for_base");
    stands(world, b, "waiting_for_base");
    baseIs(world, "release/v2", "building", {}, "shop");
    push(world.shop, "fix-a");
    const head = world.shop.sha("fix-b");
    world.shop.deleteBranch("fix-b");
    await ends(world, 0, ["pr-queue", "update", "--all"]);
    stands(world, a, "pending");
    stands(world, b, "skipped");
    world.shop.branch("fix-b", head);
    await ends(world, 0, ["pr-queue", "update", b]);
    stands(world, b, "pending");

    await world.killed(["pr-sync"], "base.started:1:kill");
    await ends(world, 0, ["pr-sync", "--plan-only"]);
    stands(world, a, "pending");
    stands(world, b, "pending");
    recorded(world, "shop#1", "waiting_for_base", "INTERRUPTED", "pending");
    baseIs(world, "release/v2", "missing", {}, "shop");
    const done = await ends(world, 0, ["pr-sync"]);
    assert.deepEqual([done.body.summary.bases_built, done.body.summary.ready], [1, 2]);
    assert.equal(stands(world, a, "ready").prep_used_base?.branch, "release/v2");
    recorded(world, "shop#1", "waiting_for_base", "START", "preparing");
    recorded(world, "base:shop:release/v2", "fresh", "USED", "fresh");

    push(world.shop, "fix-a");
    await world.killed(["pr-sync"], "prepare.started:1:kill");
    stands(world, a, "preparing");
    push(world.shop, "fix-a");
    await ends(world, 0, ["pr-queue", "update", a]);
    stands(world, a, "pending");
    await world.killed(["pr-task", "prepare", a], "prepare.written:1:kill");
    stands(world, a, "preparing");
    world.shop.deleteBranch("fix-a");
    await ends(world, 0, ["pr-queue", "update", a]);
    stands(world, a, "skipped");

    push(world.shop, "fix-b");
    await world.killed(["pr-sync"], "prepare.started:1:kill");
    stands(world, b, "preparing");
    await ends(world, 0, ["pr-task", "prepare", b]);
    stands(world, b, "ready");
  });
