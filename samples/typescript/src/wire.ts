// Load proto/ and read refusals. This file has no code about tables.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as grpc from "@grpc/grpc-js";
import * as loader from "@grpc/proto-loader";
import protobuf from "protobufjs";

/** The nearest folder `proto` above this file: your own copy beside package.json, or the project's. */
function findProto(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, "proto", "jackpot"))) {
      return join(folder, "proto");
    }
    if (folder === dirname(folder)) {
      throw new Error("no folder proto here or above: copy the project's proto beside package.json");
    }
  }
}

const PROTO = findProto();
const PROTOBUFJS = dirname(createRequire(import.meta.url).resolve("protobufjs"));

// Load the messages and options that grpc-js drops. google/protobuf comes with protobufjs itself.
const ROOT = new protobuf.Root();
ROOT.resolvePath = (_, file) => [PROTO, PROTOBUFJS].map((at) => join(at, file)).find(existsSync) ?? null;
ROOT.loadSync(
  ["jackpot/v1/reason.proto", "google/rpc/status.proto", "google/rpc/error_details.proto"],
  { keepCase: true },
);
const REASONS = ROOT.lookupEnum("jackpot.v1.Reason").valuesOptions ?? {};

/** An option of a reason, such as its retry class; undefined if proto/ has no such reason. */
export function meaningOf(reason: string, what: "code" | "retry" | "number"): string | undefined {
  return REASONS[`REASON_${reason}`]?.[`(meaning).${what}`];
}

/** Whether to attach before the next command, because this refusal did not use its number. */
export function mustAttach(reason: string): boolean {
  const used = ["NUMBER_USE_USED", "NUMBER_USE_USED_IF_READABLE"];
  return !used.includes(meaningOf(reason, "number") ?? "");
}

/** The services in these files of proto/. Amounts are strings, because they may exceed 2^53. */
export function services(...files: string[]): any {
  const definition = loader.loadSync(files, {
    includeDirs: [PROTO],
    keepCase: true,
    longs: String,
    enums: String,
    defaults: true,
  });
  return grpc.loadPackageDefinition(definition);
}

// The connection failed during the call, and the controller gave no reason.
const { UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, UNKNOWN, INTERNAL } = grpc.status;
const BROKEN = [UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, UNKNOWN, INTERNAL];

/** The details of a failed call. */
export interface Refusal {
  reason: string; // from ErrorInfo; without ErrorInfo, the status code
  metadata: Record<string, string>; // every value that the text mentions
  again: boolean; // true if you may send the same request again
  waitMs: number; // how long to wait before you send it again
}

export function readRefusal(error: grpc.ServiceError): Refusal {
  const refusal = { reason: "", metadata: {}, again: false, waitMs: 0 };
  const raw = error.metadata?.get("grpc-status-details-bin")[0];
  if (raw === undefined) {
    return { ...refusal, reason: grpc.status[error.code]!, again: BROKEN.includes(error.code) };
  }
  for (const { type_url, value } of read("Status", raw as Buffer).details) {
    if (type_url.endsWith("/google.rpc.ErrorInfo")) {
      Object.assign(refusal, read("ErrorInfo", value));
    } else if (type_url.endsWith("/google.rpc.RetryInfo")) {
      refusal.again = true;
      refusal.waitMs = millis(read("RetryInfo", value).retry_delay);
    }
  }
  return refusal;
}

/** A google.protobuf.Duration in milliseconds; 0 if the duration is absent. */
export function millis(duration?: { seconds: string; nanos: number } | null): number {
  return duration ? Number(duration.seconds) * 1000 + duration.nanos / 1e6 : 0;
}

function read(type: string, raw: Uint8Array): any {
  const message = ROOT.lookupType(`google.rpc.${type}`);
  return message.toObject(message.decode(raw), { longs: String, defaults: true, objects: true });
}
