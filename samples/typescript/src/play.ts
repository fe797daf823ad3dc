// Play one round and show the meters: npm run play ADDRESS SITE TABLE

import { Refused, Table, Unreachable } from "./table.js";

const BET = "five-card-progressive";
const [address = "127.0.0.1:7400", site = "demo", name = "table-2"] = process.argv.slice(2);

/** An amount to read. Money is never a float. */
function dollars(micros: string): string {
  const cents = BigInt(micros) / 10_000n;
  return `$${(cents / 100n).toLocaleString("en-US")}.${String(cents % 100n).padStart(2, "0")}`;
}

/** One player at seat 4 wagers $5 and holds three aces. */
async function play(table: Table): Promise<void> {
  await table.attach();
  await table.waitUntilOpen();
  console.log("round", (await table.openRound()).round);
  await table.placeWagers([{ seat: 4, bet: BET, amount_micros: 5_000_000 }]);
  console.log("lamp of seat 4 is lit");
  const locked = await table.lockOut();
  if (!locked.collected) {
    await table.confirmCollection(table.chipsOf(locked.wagers));
  }
  const hand = { seat: 4, cards: ["Ah", "Ad", "Ac", "Kd", "2s"], fate: "FATE_PLAYED" };
  const settled = await table.settle([hand], ["Qh", "Jd", "9c", "7d", "3s"]);
  for (const payout of settled.payouts) {
    console.log(`seat ${payout.seat}: ${payout.hand} pays ${dollars(payout.amount_micros)}`);
  }
  const watching = table.watchMeters();
  for await (const frame of watching) {
    for (const link of frame.links) {
      for (const meter of link.meters) {
        console.log(`${link.title}: ${dollars(meter.amount_micros)}`);
      }
    }
    break;
  }
  watching.cancel(); // else the open stream keeps this process alive
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
