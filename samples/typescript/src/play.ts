// Play one round and show the meters: npm run play -- ADDRESS SITE TABLE [--pause SECONDS]

import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Refused, Table, Unreachable } from "./table.js";

const SEAT = 4;
const CARDS = ["Ah", "Ad", "Ac", "Kd", "2s", "Qh", "Jd", "9c", "7d", "3s"]; // in the order of the deal
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { pause: { type: "string", default: "0" } },
});
const [address = "127.0.0.1:7400", site = "demo", name = "table-2"] = positionals;
const pauseMs = Number(values.pause) * 1000;

/** An amount as text for people. Money is never a float. */
function dollars(micros: string): string {
  const cents = BigInt(micros) / 10_000n;
  return `$${(cents / 100n).toLocaleString("en-US")}.${String(cents % 100n).padStart(2, "0")}`;
}

/** A wager on the first bet that the table offers, for the link's denomination. */
function firstWager({ links }: any): object {
  const link = links.find(({ bets }: any) => bets.length > 0);
  return { seat: SEAT, bet: link.bets[0].bet, amount_micros: link.wager_micros };
}

/** The player's cards, the community cards and the dealer's cards, as many as the game deals. */
function deal({ seat_cards: own, community_cards: shared, dealer_cards: dealers }: any): string[][] {
  const after = own + shared;
  return [CARDS.slice(0, own), CARDS.slice(own, after), CARDS.slice(after, after + dealers)];
}

async function say(words: string): Promise<void> {
  console.log(words);
  await sleep(pauseMs); // gives you time to stop the controller or this client
}

/** One player makes one wager, and holds three aces. */
async function play(table: Table): Promise<void> {
  await table.attach();
  await table.waitUntilOpen();
  await say(`round ${(await table.openRound()).round}`);
  const wager = firstWager(table.config);
  await table.placeWagers([wager]);
  await say(`lamp of seat ${SEAT} is lit`);
  const locked = await table.lockOut();
  await say("no more bets");
  if (!locked.collected) {
    await table.confirmCollection(table.chipsOf([wager])); // what the dealer has counted
  }
  await say("chips are collected");
  const [cards, community, dealer] = deal(table.config);
  const hand = { seat: SEAT, cards, fate: "FATE_PLAYED" };
  const settled = await table.settle([hand], dealer!, community);
  for (const payout of settled.payouts) {
    console.log(`seat ${payout.seat}: ${payout.hand} pays ${dollars(payout.amount_micros)}`);
  }
  const watching = table.watchMeters();
  for await (const frame of watching) {
    for (const link of frame.links) {
      for (const meter of link.meters) {
        console.log(`${link.title}, ${meter.level}: ${dollars(meter.amount_micros)}`);
      }
    }
    break;
  }
  watching.cancel(); // without this, the open stream keeps the process alive
}

const table = new Table(address, site, name);
try {
  await play(table);
} catch (problem) {
  if (!(problem instanceof Refused || problem instanceof Unreachable)) {
    throw problem;
  }
  console.error("not finished:", problem.message);
  process.exitCode = 1;
} finally {
  table.close();
}
