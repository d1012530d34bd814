import { account } from "./account/area.ts";
import { advertise } from "./advertise/area.ts";
import type { Area } from "./area.ts";
import { games } from "./games/area.ts";
import { system } from "./system/area.ts";

/** In the order of the navigation. */
export const areas: readonly Area[] = [advertise, games, account, system];
