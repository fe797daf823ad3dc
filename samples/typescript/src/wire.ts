// Load proto/ and read refusals. Nothing here knows about tables.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as grpc from "@grpc/grpc-js";
import * as loader from "@grpc/proto-loader";
import protobuf from "protobufjs";

const PROJECT = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
const FOLDERS = [join(PROJECT, "proto")];

/** The services of some files below proto/. Amounts are strings: they may pass 2^53. */
export function services(...files: string[]): any {
  const definition = loader.loadSync(files, {
    includeDirs: FOLDERS,
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
