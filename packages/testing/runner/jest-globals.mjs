/**
 * `@jest/globals` of the test file that runs now. Fixtures stay loaded while their worker runs further files, therefore
 * each use looks the function up.
 */
const current = (name) => globalThis[Symbol.for("jest-globals")][name];

function forward(name) {
  return new Proxy(() => {}, {
    apply: (_target, _this, args) => current(name)(...args),
    get: (_target, property) => current(name)[property],
  });
}

export const afterAll = forward("afterAll");
export const afterEach = forward("afterEach");
export const beforeAll = forward("beforeAll");
export const beforeEach = forward("beforeEach");
export const describe = forward("describe");
export const expect = forward("expect");
export const it = forward("it");
