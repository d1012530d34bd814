import type { GeoRules } from "../../rules/geo.ts";
import { isInCircle } from "../../rules/geo.ts";
import type { Point } from "../../rules/great-circle.ts";
import { Arena, placeOf } from "../storage/arena.ts";

/** A piece begins with these numbers; then come latitude, longitude and radius of each circle, as 64-bit floats. */
const field = { areas: 0, includes: 1, excludes: 2 } as const;
const headerLength = 4;
const floatsPerCircle = 3;

/** The circles of the campaigns that have some, by document id: flags of their cells say only who may be in one. */
export class Circles {
  readonly #memory = new Arena();
  readonly #addresses = new Map<number, number>();

  /** @param areas so many of the record's places are no cells of circles; they are its first ones */
  put(documentId: number, geo: GeoRules, areas: number): void {
    const includes = numbersOf(geo.includes);
    const excludes = numbersOf(geo.excludes);
    const address = this.#memory.take(lengthOf(includes.length + excludes.length));
    this.#memory
      .chunkOf(address)
      .set(
        [areas, includes.length / floatsPerCircle, excludes.length / floatsPerCircle, 0],
        placeOf(address),
      );
    this.#memory.floatsOf(address).set([...includes, ...excludes], floatsAt(placeOf(address)));
    this.#addresses.set(documentId, address);
  }

  /** Documents without circles are ignored. */
  remove(documentId: number): void {
    const address = this.#addresses.get(documentId);
    if (address === undefined) return;
    const circles = this.#get(address, field.includes) + this.#get(address, field.excludes);
    this.#memory.give(address, lengthOf(circles * floatsPerCircle));
    this.#addresses.delete(documentId);
  }

  /** How many of the record's places are no cells of circles; those come first. */
  areasOf(documentId: number): number {
    return this.#get(this.#addressOf(documentId), field.areas);
  }

  /** Whether a point, if there is one, is in one of the circles to serve in. */
  include(documentId: number, point: Point | null): boolean {
    const address = this.#addressOf(documentId);
    return this.#haveAny(address, 0, this.#get(address, field.includes), point);
  }

  /** The same of the circles not to serve in. */
  exclude(documentId: number, point: Point | null): boolean {
    const address = this.#addressOf(documentId);
    const includes = this.#get(address, field.includes);
    return this.#haveAny(address, includes, includes + this.#get(address, field.excludes), point);
  }

  #haveAny(address: number, from: number, to: number, point: Point | null): boolean {
    if (point === null) return false;
    const floats = this.#memory.floatsOf(address);
    const first = floatsAt(placeOf(address));
    for (let circle = from; circle < to; circle += 1) {
      const at = first + circle * floatsPerCircle;
      const center = { lat: floats[at] ?? 0, lng: floats[at + 1] ?? 0 };
      if (isInCircle(center, floats[at + 2] ?? 0, point)) return true;
    }
    return false;
  }

  #get(address: number, name: number): number {
    return this.#memory.chunkOf(address)[placeOf(address) + name] ?? 0;
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

/** Numbers that a piece with so many floats takes. */
function lengthOf(floats: number): number {
  return headerLength + floats * 2;
}

function floatsAt(place: number): number {
  return (place + headerLength) / 2;
}
