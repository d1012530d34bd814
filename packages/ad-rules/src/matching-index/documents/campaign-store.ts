import { LRUCache } from "lru-cache";
import type { Campaign } from "../../types/campaign.ts";
import { BlockChains } from "../storage/block-chains.ts";
import {
  type CampaignIds,
  packCampaign,
  partSeparator,
  unpackCampaign,
  unpackIds,
} from "./packed-campaign.ts";

/**
 * Maximum campaigns kept as objects, so that repeated winners are parsed once. A campaign with long texts counts as
 * several, which bounds the memory too.
 */
const maxUnpacked = 1_000;
/** Bytes of text that count as one campaign in `maxUnpacked`. */
const bytesPerUnpacked = 1 << 16;
/** In UTF-16 units. Longer texts have buffers of their own, which are released with the campaign. */
const usualLength = 1 << 14;
/** Maximum bytes of a UTF-16 unit in UTF-8. */
const bytesPerUnit = 3;
const separatorByte = partSeparator.charCodeAt(0);

/**
 * Stored fields: whole campaigns by document id, as bytes outside the heap. A hundred thousand campaigns as objects would
 * make garbage collection pause for tens of milliseconds. A campaign is parsed only when it is read, usually after a win.
 */
export class CampaignStore {
  /** Packed campaigns in UTF-8. */
  readonly #texts = new BlockChains();
  readonly #longTexts = new Map<number, Uint8Array>();
  #longBytes = 0;
  /** By document id: the length of its text in bytes; 0 when the id is free. */
  readonly #byteLengths: number[] = [];
  /** By document id: the length in bytes of the part of its text that holds the ids. */
  readonly #idsLengths: number[] = [];
  /** By document id: the first block of its text, unless that is a long one. */
  readonly #firstBlocks: number[] = [];
  readonly #versions: number[] = [];
  readonly #areActive: boolean[] = [];
  readonly #unpacked = new LRUCache<number, Campaign>({ maxSize: maxUnpacked });
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();
  /** Scratch space for a text of usual length. */
  readonly #usual = new Uint8Array(usualLength * bytesPerUnit);

  /** Memory for texts outside the heap in bytes, free blocks included. */
  get byteLength(): number {
    return this.#texts.byteLength + this.#longBytes;
  }

  /** Stores a copy of a campaign; the document id must be free. */
  put(documentId: number, campaign: Campaign): void {
    const text = packCampaign(campaign);
    if (text.length > usualLength) {
      const bytes = this.#encoder.encode(text);
      this.#longTexts.set(documentId, bytes);
      this.#longBytes += bytes.length;
      this.#byteLengths[documentId] = bytes.length;
      this.#idsLengths[documentId] = bytes.indexOf(separatorByte);
    } else {
      const { written } = this.#encoder.encodeInto(text, this.#usual);
      this.#firstBlocks[documentId] = this.#texts.put(this.#usual.subarray(0, written));
      this.#byteLengths[documentId] = written;
      this.#idsLengths[documentId] = this.#usual.indexOf(separatorByte);
    }
    this.#versions[documentId] = campaign.version;
    this.#areActive[documentId] = campaign.status === "active";
  }

  /** Frees a document id. Throws when it is free already. */
  remove(documentId: number): void {
    const length = this.#lengthAt(documentId);
    if (this.#longTexts.delete(documentId)) this.#longBytes -= length;
    else this.#texts.remove(this.#firstBlockAt(documentId));
    this.#byteLengths[documentId] = 0;
    this.#unpacked.delete(documentId);
  }

  /** Reads a winner and caches it as an object. The object is shared: callers must not change it. */
  get(documentId: number): Campaign {
    const known = this.#unpacked.get(documentId);
    if (known !== undefined) return known;
    const campaign = this.#read(documentId);
    const size = Math.ceil(this.#lengthAt(documentId) / bytesPerUnpacked);
    this.#unpacked.set(documentId, campaign, { size });
    return campaign;
  }

  /** `get` for callers other than draws: does not displace cached winners. */
  peek(documentId: number): Campaign {
    return this.#unpacked.peek(documentId) ?? this.#read(documentId);
  }

  /** Reads the ids only; the cost does not depend on the length of the campaign's texts. */
  idsAt(documentId: number): CampaignIds {
    this.#lengthAt(documentId);
    return unpackIds(this.#decode(documentId, this.#idsLengths[documentId] ?? 0));
  }

  versionOf(documentId: number): number {
    this.#lengthAt(documentId);
    return this.#versions[documentId] ?? 0;
  }

  isActive(documentId: number): boolean {
    this.#lengthAt(documentId);
    return this.#areActive[documentId] ?? false;
  }

  #read(documentId: number): Campaign {
    return unpackCampaign(this.#decode(documentId, this.#lengthAt(documentId)));
  }

  /** The first `length` bytes of the text at a document id. */
  #decode(documentId: number, length: number): string {
    const long = this.#longTexts.get(documentId);
    if (long !== undefined) return this.#decoder.decode(long.subarray(0, length));
    const bytes = this.#usual.subarray(0, length);
    this.#texts.read(this.#firstBlockAt(documentId), bytes);
    return this.#decoder.decode(bytes);
  }

  #firstBlockAt(documentId: number): number {
    const block = this.#firstBlocks[documentId];
    if (block === undefined) throw new RangeError(`document ${documentId} has no block`);
    return block;
  }

  /** Throws when the document id is free. */
  #lengthAt(documentId: number): number {
    const length = this.#byteLengths[documentId] ?? 0;
    if (length === 0) throw new RangeError(`document ${documentId} is empty`);
    return length;
  }
}
