import { createHash } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A stand-in for an Ollama server: the three endpoints that adk uses, with vectors that are a function of the text. */
export interface FakeOllama {
  readonly url: string;
  /** Inputs of every embed request that was answered with vectors. */
  readonly embedded: string[][];
  /** Texts longer than this are refused with 400, whatever `truncate` says, as versions since 0.13.5 do. */
  limit: number;
  /** Values a vector has. */
  dim: number;
  /** What an embed request gets instead of an honest answer. */
  fault: "none" | "short vector" | "null value" | "too few vectors" | "plain text 500" | "500 once";
  digest: string;
  readonly close: () => Promise<void>;
}

const vectorFor = (text: string, dim: number): number[] => {
  const bytes = createHash("sha512").update(text).digest();
  return Array.from({ length: dim }, (_, i) => ((bytes[i % bytes.length] ?? 0) - 127) / 128);
};

const send = (response: ServerResponse, status: number, body: unknown): void => {
  const isText = typeof body === "string";
  response.writeHead(status, { "content-type": isText ? "text/plain" : "application/json" });
  response.end(isText ? body : JSON.stringify(body));
};

interface EmbedBody {
  readonly model?: unknown;
  readonly input?: unknown;
}

const embed = (fake: FakeOllama, body: EmbedBody): readonly [status: number, body: unknown] => {
  const input = Array.isArray(body.input) ? (body.input as unknown[]) : [body.input];
  if (!input.every((text) => typeof text === "string")) return [400, { error: "invalid input type" }];
  const texts = input as string[];
  if (body.model !== "nomic-embed-text") return [404, { error: `model "${body.model}" not found` }];
  if (texts.some((text) => text.length > fake.limit))
    return [400, { error: "the input length exceeds the context length" }];
  if (fake.fault === "plain text 500") return [500, "upstream died"];
  if (fake.fault === "500 once") {
    fake.fault = "none";
    return [500, { error: "llama runner process has terminated" }];
  }
  const embeddings: (number | null)[][] = texts.map((text) => vectorFor(text, fake.dim));
  if (fake.fault === "short vector") embeddings[0]?.pop();
  if (fake.fault === "null value" && embeddings[0] !== undefined) embeddings[0][0] = null;
  if (fake.fault === "too few vectors") embeddings.pop();
  fake.embedded.push(texts);
  return [200, { model: body.model, embeddings }];
};

export const startOllama = async (): Promise<FakeOllama> => {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      if (request.method === "GET" && request.url === "/api/tags")
        return send(response, 200, { models: [{ name: "nomic-embed-text:latest", digest: fake.digest }] });
      if (request.method === "POST" && request.url === "/api/embed")
        return send(response, ...embed(fake, JSON.parse(Buffer.concat(pieces).toString("utf8")) as EmbedBody));
      return send(response, 404, "404 page not found");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const fake: FakeOllama = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    embedded: [],
    limit: 8000,
    dim: 48,
    fault: "none",
    digest: "0a109f422b47e3a30ba2b10eca18548e944e8a23073ee3f3e947efcf3c45e59f",
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return fake;
};
