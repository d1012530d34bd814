import { RecentMap } from "@diegetic/collections";
import type { Campaign } from "../types/campaign.ts";
import { Arena, placeOf } from "./arena.ts";
import { packCampaign, unpackCampaign } from "./packed-campaign.ts";

/** So many campaigns are kept as objects: those that win over and over are read once. */
const mostUnpacked = 1_000;
/** Longer texts, in UTF-16 units, get memory of their own while they are written. */
const usualLength = 1 << 14;
/** A UTF-16 unit has at most so many bytes in UTF-8. */
const bytesPerUnit = 3;

/** A piece of memory begins with these numbers; the version is a 64-bit float. The campaign follows, in UTF-8. */
const field = { byteLength: 0, isActive: 1, version: 2 } as const;
const headerLength = 4;

/**
 * Whole campaigns, by slot, as bytes outside of the heap, where garbage collection does not have to go through them: some
 * hundred thousand campaigns as objects would stop everything for tens of milliseconds. One is made an object only when
 * somebody asks for it, mostly because it has won.
 */
export class CampaignStore {
  readonly #memory = new Arena();
  /** By slot: where its piece is, or −1. */
  readonly #addresses: number[] = [];
  readonly #unpacked = new RecentMap<number, Campaign>(mostUnpacked);
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();
  readonly #usual = new Uint8Array(usualLength * bytesPerUnit);

  /** Puts a campaign at a slot that is free; it is not looked at again. Fields that `Campaign` does not name are left out. */
  put(slot: number, campaign: Campaign): void {
    const text = packCampaign(campaign);
    const bytes = text.length <= usualLength ? this.#usual : new Uint8Array(text.length * bytesPerUnit);
    const { written } = this.#encoder.encodeInto(text, bytes);
    const address = this.#memory.take(lengthOf(written));
    const ints = this.#memory.chunkOf(address);
    const place = placeOf(address);
    ints[place + field.byteLength] = written;
    ints[place + field.isActive] = campaign.status === "active" ? 1 : 0;
    this.#memory.floatsOf(address)[(place + field.version) >>> 1] = campaign.version;
    textAt(ints, place).set(bytes.subarray(0, written));
    this.#addresses[slot] = address;
  }

  /** Frees a slot that has a campaign. */
  remove(slot: number): void {
    const address = this.#addressOf(slot);
    const length = this.#memory.chunkOf(address)[placeOf(address) + field.byteLength] ?? 0;
    this.#memory.give(address, lengthOf(length));
    this.#addresses[slot] = -1;
    this.#unpacked.delete(slot);
  }

  /** The campaign at a slot. It may be given to others, too: it must not be changed. */
  get(slot: number): Campaign {
    const known = this.#unpacked.get(slot);
    if (known !== undefined) return known;
    const address = this.#addressOf(slot);
    const campaign = unpackCampaign(
      this.#decoder.decode(textAt(this.#memory.chunkOf(address), placeOf(address))),
    );
    this.#unpacked.set(slot, campaign);
    return campaign;
  }

  versionOf(slot: number): number {
    const address = this.#addressOf(slot);
    return this.#memory.floatsOf(address)[(placeOf(address) + field.version) >>> 1] ?? 0;
  }

  isActive(slot: number): boolean {
    const address = this.#addressOf(slot);
    return this.#memory.chunkOf(address)[placeOf(address) + field.isActive] === 1;
  }

  #addressOf(slot: number): number {
    const address = this.#addresses[slot] ?? -1;
    if (address < 0) throw new RangeError(`slot ${slot} is empty`);
    return address;
  }
}

/** Numbers that a text of so many bytes takes, with what is before it. */
function lengthOf(bytes: number): number {
  return headerLength + Math.ceil(bytes / Int32Array.BYTES_PER_ELEMENT);
}

/** The bytes of the text of the piece that begins there. */
function textAt(ints: Int32Array, place: number): Uint8Array {
  const start = (place + headerLength) * Int32Array.BYTES_PER_ELEMENT;
  return new Uint8Array(ints.buffer, start, ints[place + field.byteLength]);
}
