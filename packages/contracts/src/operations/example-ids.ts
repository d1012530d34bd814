/** The identifiers of the examples: the examples of all operations tell one story, in which the same thing has the same name. */
export const exampleIds = {
  advertiser: "adv_01kbgy2v6qf8r3c5s9t1w4x7za",
  campaign: "camp_01kbgy4h0m2d6p8q3r5t7v9wxy",
  creative: "crt_01kbgy5n3k7f9g2h4j6m8p0qrs",
  geoTarget: "geo_01kbgy6a4b5c6d7e8f9g0h1jkm",
  blocklistRule: "blk_01kbgy6n8p9q0r1s2t3v4w5xyz",
  affinity: "aff_01kbgy7b1c3d5e7f9g1h3j5kmn",
  secondAffinity: "aff_01kbgy7b1c3d5e7f9g1h3j5kmp",
  key: "key_01kbgxzt2v4w6x8y0z1a3b5cde",
  secondKey: "key_01kbgz0a1b2c3d4e5f6g7h8jkm",
  deposit: "dep_01kbgy3k8m4n6p0q2r4s6t8vwx",
  match: "mat_01kbgy8t5v7w9x1y3z5a7b9cde",
  impression: "imp_01kbgy9e2f4g6h8j0k2m4n6pqr",
  game: "lantern-keep",
  moment: "2026-12-01T09:30:00.000Z",
} as const;
