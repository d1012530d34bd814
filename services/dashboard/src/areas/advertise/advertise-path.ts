export const BEGIN_PARAMETER = "begin";

/** The first steps of an advertiser, also in an account that has games so far. */
export const ADVERTISE_PATH = `/?${BEGIN_PARAMETER}=advertise`;
