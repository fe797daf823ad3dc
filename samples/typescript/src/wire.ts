// Load proto/ and read refusals. Nothing here knows about tables.

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

// Messages and options that gRPC does not show. google/protobuf comes with protobufjs itself.
const ROOT = new protobuf.Root();
ROOT.resolvePath = (_, file) => [PROTO, PROTOBUFJS].map((at) => join(at, file)).find(existsSync) ?? null;
ROOT.loadSync(
  ["jackpot/v1/reason.proto", "google/rpc/status.proto", "google/rpc/error_details.proto"],
  { keepCase: true },
);
const REASONS = ROOT.lookupEnum("jackpot.v1.Reason").valuesOptions ?? {};

/** An option of a reason, such as its retry class; undefined: the reason is newer than proto/. */
export function meaningOf(reason: string, what: "code" | "retry" | "number"): string | undefined {
  return REASONS[`REASON_${reason}`]?.[`(meaning).${what}`];
}

/** Whether the next command would not fit: it has the next number, and this one was not used. */
export function mustAttach(reason: string): boolean {
  const used = ["NUMBER_USE_USED", "NUMBER_USE_USED_IF_READABLE"];
  return !used.includes(meaningOf(reason, "number") ?? "");
}

/** The services of some files below proto/. Amounts are strings: they may pass 2^53. */
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

// The call came to nothing, and nobody said why.
const { UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, UNKNOWN, INTERNAL } = grpc.status;
const BROKEN = [UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, UNKNOWN, INTERNAL];

/** What a failed call says. */
export interface Refusal {
  reason: string; // of ErrorInfo; without one, the status code
  metadata: Record<string, string>; // every value that the text mentions
  again: boolean; // the same may be sent again
  waitMs: number; // not before this
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

/** A google.protobuf.Duration in milliseconds; one that is absent is 0. */
export function millis(duration?: { seconds: string; nanos: number } | null): number {
  return duration ? Number(duration.seconds) * 1000 + duration.nanos / 1e6 : 0;
}

function read(type: string, raw: Uint8Array): any {
  const message = ROOT.lookupType(`google.rpc.${type}`);
  return message.toObject(message.decode(raw), { longs: String, defaults: true, objects: true });
}
