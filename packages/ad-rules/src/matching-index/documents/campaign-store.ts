import { LRUCache } from "lru-cache";
import type { Campaign } from "../../types/campaign.ts";
import { Arena, byteOffsetOf } from "../storage/arena.ts";
import { packCampaign, unpackCampaign } from "./packed-campaign.ts";

/**
 * Maximum campaigns kept as objects, so that repeated winners are parsed once. A campaign with long texts counts as
 * several, which bounds the memory too.
 */
const MAX_UNPACKED = 1_000;
/** Bytes of text that count as one campaign in `MAX_UNPACKED`. */
const bytesPerUnpacked = 1 << 16;

export interface CampaignIds {
  advertiserId: string;
  /** Oldest first. */
  creativeIds: readonly string[];
}

/**
 * Stored fields: whole campaigns by document id, as bytes outside the heap. A hundred thousand campaigns as objects, or as
 * strings, would make garbage collection pause for tens of milliseconds. A campaign is parsed only when it is read, usually
 * after a win.
 */
export class CampaignStore {
  /** Campaigns whose status is active. */
  activeCount = 0;
  /** By document id, in UTF-8: the ids as a JSON array, which can be read without the rest, and the packed campaign. */
  readonly #memory = new Arena();
  readonly #addresses: number[] = [];
  /** By document id: the length of both texts in bytes, and that of the ids; 0 when the id is free. */
  readonly #lengths: number[] = [];
  readonly #idsLengths: number[] = [];
  readonly #versions: number[] = [];
  readonly #areActive: boolean[] = [];
  readonly #unpacked = new LRUCache<number, Campaign>({ maxSize: MAX_UNPACKED });

  /** Stores a copy of a campaign; the document id must be free. */
  put(documentId: number, campaign: Campaign): void {
    const ids = JSON.stringify([campaign.advertiser_id, ...campaign.creatives.map((one) => one.creative_id)]);
    const text = ids + packCampaign(campaign);
    const length = Buffer.byteLength(text);
    const address = this.#memory.allocate(numbersFor(length));
    this.#memory.bytesOf(address).write(text, byteOffsetOf(address));
    this.#addresses[documentId] = address;
    this.#lengths[documentId] = length;
    this.#idsLengths[documentId] = Buffer.byteLength(ids);
    this.#versions[documentId] = campaign.version;
    this.#areActive[documentId] = campaign.status === "active";
    if (campaign.status === "active") this.activeCount += 1;
  }

  /** Frees a document id. Throws when it is free already. */
  remove(documentId: number): void {
    this.#memory.free(this.#addresses[documentId] ?? 0, numbersFor(this.#lengthAt(documentId)));
    this.#lengths[documentId] = 0;
    this.#unpacked.delete(documentId);
    if (this.#areActive[documentId]) this.activeCount -= 1;
  }

  /** Reads a winner and caches it as an object. The object is shared: callers must not change it. */
  get(documentId: number): Campaign {
    const known = this.#unpacked.get(documentId);
    if (known !== undefined) return known;
    const length = this.#lengthAt(documentId);
    const campaign = unpackCampaign(this.#decode(documentId, this.#idsLengths[documentId] ?? 0, length));
    this.#unpacked.set(documentId, campaign, { size: Math.ceil(length / bytesPerUnpacked) });
    return campaign;
  }

  /** Reads the ids only; the cost does not depend on the length of the campaign's texts. */
  idsAt(documentId: number): CampaignIds {
    this.#lengthAt(documentId);
    const ids = this.#decode(documentId, 0, this.#idsLengths[documentId] ?? 0);
    const [advertiserId = "", ...creativeIds] = JSON.parse(ids) as string[];
    return { advertiserId, creativeIds };
  }

  versionOf(documentId: number): number {
    this.#lengthAt(documentId);
    return this.#versions[documentId] ?? 0;
  }

  #decode(documentId: number, from: number, to: number): string {
    const address = this.#addresses[documentId] ?? 0;
    const start = byteOffsetOf(address);
    return this.#memory.bytesOf(address).toString("utf8", start + from, start + to);
  }

  /** Throws when the document id is free. */
  #lengthAt(documentId: number): number {
    const length = this.#lengths[documentId] ?? 0;
    if (length === 0) throw new RangeError(`document ${documentId} is empty`);
    return length;
  }
}

/** How many numbers of the arena have room for these bytes. */
function numbersFor(bytes: number): number {
  return Math.ceil(bytes / Int32Array.BYTES_PER_ELEMENT);
}
