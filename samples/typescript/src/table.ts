// A table's client in plain gRPC: attach, number commands, resend until an answer arrives.
//
// With these five rules, every wager counts exactly once:
// 1. Number commands 1, 2, 3 and so on from each attachment.
// 2. When no answer comes, send the same command again with the same number.
// 3. When a command is refused, look at the reason. Only a refusal with RetryInfo asks for the same
//    command again.
// 4. Remember the range of answers that you received, and send it when you attach. After a backup is
//    restored, only the table knows these answers.
// 5. When you attach, finish a round that is still open before you open another.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import * as grpc from "@grpc/grpc-js";
import { millis, mustAttach, readRefusal, services, type Refusal } from "./wire.js";

const CALL_TIMEOUT_MS = 5_000;
const DEADLINE_MS = 60_000;
const LONGEST_WAIT_MS = 1_000;
const WATCH_MS = 30_000; // then start a new watch, because a connection may die unnoticed
export const OPTIONS = {
  // Reconnect to a restarted controller within a second.
  "grpc.initial_reconnect_backoff_ms": 50,
  "grpc.max_reconnect_backoff_ms": 1_000,
  // Ping every ten seconds; drop a dead connection five seconds later.
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 5_000,
};

/** The controller refused a request. Look at the reason and metadata, never at the text. */
export class Refused extends Error {
  readonly reason: string;
  readonly metadata: Record<string, string>;

  constructor({ reason, metadata }: Refusal, text: string) {
    const about = Object.entries(metadata).sort().map(([name, value]) => `${name} ${value}`);
    super(`${reason}: ${text}` + (about.length ? ` (${about.join(", ")})` : ""));
    this.reason = reason;
    this.metadata = metadata;
  }
}

/** No answer came in time. The last command may or may not have been carried out: attach again. */
export class Unreachable extends Error {}

/** The files of a table's certificate; without these files, only a controller on this machine answers. */
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

/** The range of answers that the table has received, and its round. */
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

/** Send the same request until an answer or a final refusal arrives. */
async function sendUntilAnswered(client: any, method: string, request: object): Promise<any> {
  const until = Date.now() + DEADLINE_MS;
  for (let wait = 50; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    try {
      return await call(client, method, request, CALL_TIMEOUT_MS);
    } catch (error) {
      const failure = error as grpc.ServiceError;
      const refusal = readRefusal(failure);
      if (!refusal.again) {
        throw new Refused(refusal, failure.details);
      }
      if (Date.now() > until) {
        throw new Unreachable(failure.details);
      }
      if (wait < LONGEST_WAIT_MS && 2 * wait >= LONGEST_WAIT_MS) { // print this only once
        console.error("no answer yet, trying again:", failure.details);
      }
      await sleep(Math.max(wait, refusal.waitMs));
    }
  }
}

/** Sends one table's commands, and sends heartbeats while the table is attached. */
export class Table {
  attached = false; // after FENCED, only a person may decide to attach again
  config: any; // the table's configuration, from the answer to Attach
  private heard?: Heard; // keep this on disk if your client may restart
  private epoch = "0";
  private number = 0;
  private beating?: NodeJS.Timeout;
  private readonly tables: any;
  private readonly meters: any;

  constructor(address: string, readonly site: string, readonly table: string, files?: Certificate) {
    const { jackpot } = services("jackpot/v1/table.proto", "jackpot/v1/meter.proto");
    const credentials = credentialsOf(files);
    this.tables = new jackpot.v1.TableService(address, credentials, OPTIONS);
    this.meters = new jackpot.v1.MeterService(address, credentials, OPTIONS);
  }

  /** Attach the table. Send the same request id again until an answer arrives. */
  async attach(): Promise<any> {
    const request = {
      site: this.site, table: this.table, request_id: newRequestId(), acknowledged: this.heard,
    };
    const answer = await sendUntilAnswered(this.tables, "Attach", request);
    this.epoch = answer.epoch;
    this.number = 0;
    this.attached = true;
    this.config = answer.config;
    this.beat();
    const restored = this.heard !== undefined && this.heard.incarnation !== answer.incarnation;
    if (restored) {
      this.heard = undefined; // a backup was restored: start over
    }
    const { incarnation, sequence } = answer;
    this.heard ??= { incarnation, first_sequence: sequence, last_sequence: sequence, round: "0" };
    this.heard.last_sequence = sequence;
    this.heard.round = answer.round?.number ?? "0";
    await this.finish(answer, restored ? "RESTORED" : "TABLE_RESTARTED");
    return answer;
  }

  /** Void an open round from an earlier run of the client, because its cards are lost. */
  private async finish({ round, call }: any, irregularity: string): Promise<void> {
    if (round?.phase === "ROUND_PHASE_OPEN" || round?.phase === "ROUND_PHASE_LOCKED") {
      await this.voidRound(irregularity);
    } else if (round?.phase === "ROUND_PHASE_COLLECTED") {
      let earlier = call?.id;
      if (earlier && call.act !== "FLOOR_ACT_VOID_ROUND") {
        await this.outcomeOf(earlier); // another act; only one call may be open
        earlier = undefined;
      }
      while (!(await this.askFloorToVoid(irregularity, earlier))) {
        if ((await this.watch(() => true)).may_open_round) {
          return; // voided without this call
        }
        console.log(`round ${this.heard!.round}: the floor did not void it; calling again`);
        earlier = undefined;
      }
    }
  }

  /** Begin a round. */
  async openRound(): Promise<any> {
    const answer = await this.command("OpenRound", {});
    this.heard!.round = answer.round;
    return answer;
  }

  /** Place all the wagers or none. Light the lamps only after this returns. */
  placeWagers = (wagers: object[]) => this.command("PlaceWagers", { wagers });

  lockOut = () => this.command("LockOut", {});

  /** How many chips the wagers have on each bet. Electronic wagers have none. */
  chipsOf(wagers: any[]): Record<string, number> {
    const bets = this.config.links.flatMap((link: any) => link.bets);
    const chips = new Set(bets.filter((b: any) => b.medium === "BET_MEDIUM_CHIPS").map((b: any) => b.bet));
    const count: Record<string, number> = {};
    for (const { bet } of wagers.filter((wager) => chips.has(wager.bet))) {
      count[bet] = (count[bet] ?? 0) + 1;
    }
    return count;
  }

  /**
   * Send the dealer's count of chips for each bet; not needed if LockOut says `collected`. Never
   * send the wagers from LockOut's answer: the controller compares the count with them.
   */
  confirmCollection = (chips: Record<string, number>) => this.command("ConfirmCollection", { chips });

  /** Send every hand. The answer lists the awards in payment order. */
  settle = (hands: object[], dealer: string[], community: string[] = []) =>
    this.command("Settle", { hands, dealer, community });

  /** Void the round. After the collection, only the floor can do this. */
  voidRound = (irregularity: string) => this.command("VoidRound", { irregularity });

  /** Call the floor unless a call is open, and wait. True if the floor voided the round. */
  async askFloorToVoid(irregularity: string, earlier?: string): Promise<boolean> {
    const asked = { act: "FLOOR_ACT_VOID_ROUND", round: this.heard!.round, irregularity };
    const call = earlier ?? (await this.command("CallFloor", asked)).call;
    console.log(`round ${this.heard!.round}: waiting for the floor to answer call ${call}`);
    return (await this.outcomeOf(call)) === "CALL_OUTCOME_APPROVED";
  }

  /** Wait until a call is answered or closed for another reason. */
  private async outcomeOf(call: string): Promise<string> {
    const closed = (frame: any) =>
      frame.call?.id === call && frame.call.outcome !== "CALL_OUTCOME_UNSPECIFIED";
    return (await this.watch(closed)).call.outcome;
  }

  /** Wait until the next round may open; an award's paperwork can keep it from opening. */
  async waitUntilOpen(): Promise<void> {
    const told = new Set<string>();
    await this.watch(({ may_open_round, shut_reason: reason, shut_metadata: metadata }) => {
      if (reason && !told.has(reason)) {
        told.add(reason);
        const why = { reason, metadata, again: false, waitMs: 0 };
        console.log(new Refused(why, "waiting until the next round may open").message);
      }
      return may_open_round;
    });
  }

  /** Watch the table until isReady accepts a frame. People may take minutes to act. */
  private async watch(isReady: (frame: any) => boolean): Promise<any> {
    for (;; await sleep(LONGEST_WAIT_MS)) {
      const request = { site: this.site, table: this.table, epoch: this.epoch };
      const options = { deadline: Date.now() + WATCH_MS };
      const watching: grpc.ClientReadableStream<any> = this.tables.WatchTable(request, options);
      try {
        for await (const frame of watching) {
          if (!frame.progress && isReady(frame)) {
            return frame;
          }
        }
      } catch (error) {
        const failure = error as grpc.ServiceError;
        const refusal = readRefusal(failure);
        if (!refusal.again) {
          this.attached &&= !mustAttach(refusal.reason);
          throw new Refused(refusal, failure.details);
        }
      } finally {
        watching.cancel();
      }
    }
  }

  /** Stream the meters, now and at each change. When the stream ends, call this again. */
  watchMeters(): grpc.ClientReadableStream<any> {
    return this.meters.WatchMeters({ site: this.site });
  }

  /** Send heartbeats as often as the table's configuration asks. */
  private beat(): void {
    clearInterval(this.beating);
    const intervalMs = millis(this.config.heartbeat_interval);
    if (intervalMs === 0) {
      return;
    }
    this.beating = setInterval(() => {
      if (this.attached) {
        const alive = { site: this.site, table: this.table, epoch: this.epoch };
        // If the heartbeat is refused, the next command handles the same error.
        call(this.tables, "Heartbeat", alive, CALL_TIMEOUT_MS).catch(() => undefined);
      }
    }, intervalMs);
  }

  close(): void {
    clearInterval(this.beating);
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
      if (!(problem instanceof Refused) || mustAttach(problem.reason)) {
        this.attached = false;
      }
      throw problem;
    }
  }
}
