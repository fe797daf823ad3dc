// A table's client in plain gRPC: attach, number commands, send again until answered.
//
// Four rules keep every wager exactly once:
// 1. Number commands 1, 2, 3 and so on from each attachment.
// 2. When an answer does not come, send the same command with the same number.
// 3. When a command is refused, look at the reason. Only a refusal with RetryInfo asks for the same
//    command again.
// 4. Remember which answers you had, and say so when you attach. After a backup was restored, nobody
//    else knows.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import * as grpc from "@grpc/grpc-js";
import { readRefusal, services } from "./wire.js";

const CALL_TIMEOUT_MS = 5_000;
const DEADLINE_MS = 60_000;
const LONGEST_WAIT_MS = 1_000;
const ATTACH_AGAIN = new Set([
  "FENCED", "NOT_ATTACHED", "OTHER_INCARNATION", "REQUEST_REUSED", "REQUEST_TOO_OLD",
]);

/** The controller said no. Look at the reason, never at the text. */
export class Refused extends Error {
  constructor(readonly reason: string, text: string) {
    super(`${reason}: ${text}`);
  }
}

/** No answer in time. Whether the last command was carried out is not known: attach again. */
export class Unreachable extends Error {}

/** The files of a table's certificate; without them, only a controller on this machine answers. */
export interface Certificate {
  ca: string;
  certificate: string;
  key: string;
}

export function credentialsOf(files?: Certificate): grpc.ChannelCredentials {
  if (files === undefined) {
    return grpc.credentials.createInsecure();
  }
  const [ca, key, certificate] = [files.ca, files.key, files.certificate].map((name) => readFileSync(name));
  return grpc.credentials.createSsl(ca!, key!, certificate!);
}

/** What a table was told: the range of its answers, and its round. */
interface Heard {
  incarnation: string;
  first_sequence: string;
  last_sequence: string;
  round: string;
}

/** A UUIDv7: the time in milliseconds, then random bits. */
export function newRequestId(): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** One unary call. */
export function call(client: any, method: string, request: object, timeoutMs?: number): Promise<any> {
  const options = timeoutMs ? { deadline: Date.now() + timeoutMs } : {};
  return new Promise((resolve, reject) => {
    client[method](request, new grpc.Metadata({ waitForReady: !timeoutMs }), options,
      (error: grpc.ServiceError | null, answer: any) => (error ? reject(error) : resolve(answer)));
  });
}

/** Send the same request until there is an answer, or a refusal that is final. */
async function sendUntilAnswered(client: any, method: string, request: object): Promise<any> {
  const until = Date.now() + DEADLINE_MS;
  for (let wait = 50; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    try {
      return await call(client, method, request, CALL_TIMEOUT_MS);
    } catch (error) {
      const failure = error as grpc.ServiceError;
      const { reason, again } = readRefusal(failure);
      if (!again) {
        throw new Refused(reason, failure.details);
      }
      if (Date.now() > until) {
        throw new Unreachable(failure.details);
      }
    }
    await sleep(wait);
  }
}

/** Speaks for one table. */
export class Table {
  attached = false;
  private heard?: Heard; // keep it on disk if your client may restart
  private epoch = "0";
  private number = 0;
  private readonly tables: any;
  private readonly meters: any;

  constructor(address: string, readonly site: string, readonly table: string, files?: Certificate) {
    const { jackpot } = services("jackpot/v1/table.proto", "jackpot/v1/meter.proto");
    // A restarted controller is found within a second.
    const options = { "grpc.initial_reconnect_backoff_ms": 50, "grpc.max_reconnect_backoff_ms": 1000 };
    const credentials = credentialsOf(files);
    this.tables = new jackpot.v1.TableService(address, credentials, options);
    this.meters = new jackpot.v1.MeterService(address, credentials, options);
  }

  /** Speak for the table from now on. The same request id is used until there is an answer. */
  async attach(): Promise<any> {
    const request = {
      site: this.site, table: this.table, request_id: newRequestId(), acknowledged: this.heard,
    };
    const answer = await sendUntilAnswered(this.tables, "Attach", request);
    this.epoch = answer.epoch;
    this.number = 0;
    this.attached = true;
    if (this.heard?.incarnation !== answer.incarnation) {
      this.heard = undefined; // a backup was restored: start over
    }
    const { incarnation, sequence } = answer;
    this.heard ??= { incarnation, first_sequence: sequence, last_sequence: sequence, round: "0" };
    this.heard.last_sequence = sequence;
    this.heard.round = answer.round?.number ?? "0";
    return answer;
  }

  /** Begin a round. */
  async openRound(): Promise<any> {
    const answer = await this.command("OpenRound", {});
    this.heard!.round = answer.round;
    return answer;
  }

  /** All of them or none; light the lamps after this has returned, never before. */
  placeWagers = (wagers: object[]) => this.command("PlaceWagers", { wagers });

  lockOut = () => this.command("LockOut", {});

  /** The dealer's count of chips, by bet. */
  confirmCollection = (chips: Record<string, number>) => this.command("ConfirmCollection", { chips });

  /** Every hand; the answer lists the awards in the order in which they are paid. */
  settle = (hands: object[], dealer: string[]) => this.command("Settle", { hands, dealer });

  /** The round comes to nothing. After the collection only the floor can do this. */
  voidRound = (irregularity: string) => this.command("VoidRound", { irregularity });

  /** Call a floorperson, and wait for the answer; true: the round is void. */
  async askFloorToVoid(irregularity: string): Promise<boolean> {
    const asked = { act: "FLOOR_ACT_VOID_ROUND", round: this.heard!.round, irregularity };
    const { call } = await this.command("CallFloor", asked);
    const closed = (frame: any) =>
      frame.call?.id === call && frame.call.outcome !== "CALL_OUTCOME_UNSPECIFIED";
    return (await this.watch(closed)).call.outcome === "CALL_OUTCOME_APPROVED";
  }

  /** Wait until nothing keeps the next round shut, such as the papers of an award. */
  async waitUntilOpen(): Promise<void> {
    await this.watch((frame) => frame.may_open_round);
  }

  /** The table as it is when something has come about. People may take their time. */
  private async watch(isReady: (frame: any) => boolean): Promise<any> {
    for (;; await sleep(LONGEST_WAIT_MS)) {
      const request = { site: this.site, table: this.table, epoch: this.epoch };
      const watching: grpc.ClientReadableStream<any> = this.tables.WatchTable(request);
      try {
        for await (const frame of watching) {
          if (!frame.progress && isReady(frame)) {
            return frame;
          }
        }
      } catch (error) {
        const failure = error as grpc.ServiceError;
        const { reason, again } = readRefusal(failure);
        if (!again) {
          this.attached &&= !ATTACH_AGAIN.has(reason);
          throw new Refused(reason, failure.details);
        }
      } finally {
        watching.cancel();
      }
    }
  }

  /** The meters, now and at each change; call again when it ends. */
  watchMeters(): grpc.ClientReadableStream<any> {
    return this.meters.WatchMeters({ site: this.site });
  }

  close(): void {
    this.tables.close();
    this.meters.close();
  }

  private async command(rpc: string, command: object): Promise<any> {
    this.number += 1;
    const id = { site: this.site, table: this.table, epoch: this.epoch, number: this.number };
    try {
      const answer = await sendUntilAnswered(this.tables, rpc, { id, command });
      this.heard!.last_sequence = answer.sequence;
      return answer;
    } catch (problem) {
      if (!(problem instanceof Refused) || ATTACH_AGAIN.has(problem.reason)) {
        this.attached = false;
      }
      throw problem;
    }
  }
}
