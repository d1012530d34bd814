import type { GeoRules } from "../../rules/geo.ts";
import { isInCircle } from "../../rules/geo.ts";
import type { Point } from "../../rules/great-circle.ts";
import { Arena, evenLength, offsetOf } from "../storage/arena.ts";

/** The header of a block. Latitude, longitude and radius of each circle follow as 64-bit floats. */
const field = { areas: 0, includes: 1, excludes: 2 } as const;
const headerLength = evenLength(Object.keys(field).length);
const floatsPerCircle = 3;

/** The circles of campaigns by document id, for the exact test: an active cell only says that a circle may match. */
export class Circles {
  readonly #memory = new Arena();
  readonly #addresses = new Map<number, number>();

  /** @param areas number of the record's places that are not cells of circles; they come first */
  put(documentId: number, geo: GeoRules, areas: number): void {
    const includes = numbersOf(geo.includes);
    const excludes = numbersOf(geo.excludes);
    const address = this.#memory.allocate(lengthOf(includes.length + excludes.length));
    this.#memory
      .chunkOf(address)
      .set([areas, includes.length / floatsPerCircle, excludes.length / floatsPerCircle], offsetOf(address));
    this.#memory.floatsOf(address).set([...includes, ...excludes], floatsAt(offsetOf(address)));
    this.#addresses.set(documentId, address);
  }

  /** Ignores documents without circles. */
  remove(documentId: number): void {
    const address = this.#addresses.get(documentId);
    if (address === undefined) return;
    const circles = this.#get(address, field.includes) + this.#get(address, field.excludes);
    this.#memory.free(address, lengthOf(circles * floatsPerCircle));
    this.#addresses.delete(documentId);
  }

  /** The number of the record's places that are not cells of circles; they come first. */
  areasOf(documentId: number): number {
    return this.#get(this.#addressOf(documentId), field.areas);
  }

  /** Whether the point is in a circle to serve in; false without a point. */
  include(documentId: number, point: Point | null): boolean {
    const address = this.#addressOf(documentId);
    return this.#anyContains(address, 0, this.#get(address, field.includes), point);
  }

  /** Whether the point is in a circle not to serve in; false without a point. */
  exclude(documentId: number, point: Point | null): boolean {
    const address = this.#addressOf(documentId);
    const includes = this.#get(address, field.includes);
    return this.#anyContains(address, includes, includes + this.#get(address, field.excludes), point);
  }

  #anyContains(address: number, from: number, to: number, point: Point | null): boolean {
    if (point === null) return false;
    const floats = this.#memory.floatsOf(address);
    const first = floatsAt(offsetOf(address));
    for (let circle = from; circle < to; circle += 1) {
      const at = first + circle * floatsPerCircle;
      const center = { lat: floats[at] ?? 0, lng: floats[at + 1] ?? 0 };
      if (isInCircle(center, floats[at + 2] ?? 0, point)) return true;
    }
    return false;
  }

  #get(address: number, name: number): number {
    return this.#memory.chunkOf(address)[offsetOf(address) + name] ?? 0;
  }

  #addressOf(documentId: number): number {
    const address = this.#addresses.get(documentId);
    if (address === undefined) throw new RangeError(`document ${documentId} has no circles`);
    return address;
  }
}

function numbersOf(places: GeoRules["includes"]): number[] {
  return places.flatMap((place) =>
    place.type === "radius" ? [place.center.lat, place.center.lng, place.radiusKm] : [],
  );
}

/** Length of a block with this number of floats. */
function lengthOf(floats: number): number {
  return headerLength + floats * 2;
}

function floatsAt(offset: number): number {
  return (offset + headerLength) / 2;
}
