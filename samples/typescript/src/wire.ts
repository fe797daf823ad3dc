// Load proto/ and read refusals. Nothing here knows about tables.

import { existsSync } from "node:fs";
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

/** The services of some files below proto/. Amounts are strings: they may pass 2^53. */
export function services(...files: string[]): any {
  const definition = loader.loadSync(files, {
    includeDirs: [findProto()],
    keepCase: true,
    longs: String,
    enums: String,
    defaults: true,
  });
  return grpc.loadPackageDefinition(definition);
}

const STATUS = protobuf.parse(`
  syntax = "proto3";
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
  message Duration { int64 seconds = 1; int32 nanos = 2; }
  message RetryInfo { Duration retry_delay = 1; }
`, { keepCase: true }).root;

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
      const { seconds, nanos } = read("RetryInfo", value).retry_delay;
      refusal.again = true;
      refusal.waitMs = Number(seconds) * 1000 + nanos / 1e6;
    }
  }
  return refusal;
}

function read(type: string, raw: Uint8Array): any {
  const message = STATUS.lookupType(type);
  return message.toObject(message.decode(raw), { longs: String, defaults: true, objects: true });
}
