import { parentPort } from "node:worker_threads";
import { type FileInput, prepareFiles } from "./fileJob.ts";

interface Message {
  readonly id: number;
  readonly files: ReadonlyArray<FileInput>;
  readonly embed: boolean;
}

parentPort?.on("message", ({ id, files, embed }: Message) => {
  prepareFiles({ files, embed }).then(
    (prepared) => {
      const transfer = prepared.vectors === null ? [] : [prepared.vectors.buffer as ArrayBuffer];
      parentPort?.postMessage({ id, prepared }, transfer);
    },
    (error: unknown) => {
      parentPort?.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
    },
  );
});
