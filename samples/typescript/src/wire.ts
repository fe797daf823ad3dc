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
`, { keepCase: true }).root;

/** What a failed call says: its reason, and whether the same may be sent again. */
export interface Refusal {
  reason: string; // empty: the call broke, and nobody said anything
  again: boolean;
}

export function readRefusal(error: grpc.ServiceError): Refusal {
  const raw = error.metadata?.get("grpc-status-details-bin")[0];
  if (raw === undefined) {
    return { reason: "", again: true };
  }
  const status: any = STATUS.lookupType("Status").decode(raw as Buffer);
  const refusal = { reason: "", again: false };
  for (const detail of status.details) {
    if (detail.type_url.endsWith("/google.rpc.ErrorInfo")) {
      refusal.reason = (STATUS.lookupType("ErrorInfo").decode(detail.value) as any).reason;
    }
    refusal.again ||= detail.type_url.endsWith("/google.rpc.RetryInfo");
  }
  return refusal;
}
