// Play the rounds that the conformance kit asks for. Run this in the folder of package.json; PROJECT
// is the project's folder: PROJECT/.venv/bin/jackpot-emulator conform -- node build/under_test.js

import { Refused, Table, Unreachable, call, credentialsOf } from "./table.js";
import { services } from "./wire.js";

const { JACKPOT_ADDRESS, JACKPOT_SITE, JACKPOT_TABLE, JACKPOT_CA, JACKPOT_CERT, JACKPOT_KEY } =
  process.env as Record<string, string>;
const files = JACKPOT_CA
  ? { ca: JACKPOT_CA, certificate: JACKPOT_CERT!, key: JACKPOT_KEY! }
  : undefined;
const { conform } = services("conform/v1/conform.proto");
const kit = new conform.v1.ConformService(JACKPOT_ADDRESS, credentialsOf(files));
const table = new Table(JACKPOT_ADDRESS!, JACKPOT_SITE!, JACKPOT_TABLE!, files);

async function play(round: any): Promise<void> {
  // The kit's request stands for the person who tells a fenced client to attach.
  if (round.attach || !table.attached) {
    await table.attach();
  }
  await table.waitUntilOpen();
  await table.openRound();
  await table.placeWagers(round.wagers);
  await show(round.wagers);
  const locked = await table.lockOut();
  if (round.irregularity && !round.collected) {
    await table.voidRound(round.irregularity);
    return;
  }
  if (!locked.collected) {
    await table.confirmCollection(table.chipsOf(round.wagers));
  }
  if (round.irregularity && (await table.askFloorToVoid(round.irregularity))) {
    return;
  }
  await table.settle(round.hands, round.dealer);
}

/** Tell the kit which lamps are lit. */
async function show(wagers: any[]): Promise<void> {
  const lit = wagers.map(({ seat, bet }) => ({ seat, bet }));
  await call(kit, "ShowLamps", { table: JACKPOT_TABLE, lit });
}

for (;;) {
  const round = await call(kit, "NextRound", { table: JACKPOT_TABLE });
  if (round.done) {
    break;
  }
  try {
    await play(round);
  } catch (problem) {
    if (!(problem instanceof Refused || problem instanceof Unreachable)) {
      throw problem;
    }
    console.log("not finished:", problem.message);
  }
  await show([]);
}
table.close();
kit.close();
