import CaptureModel

/// The values that a control accepts, in ascending order: a grid, or the indexes of a menu. Never empty.
///
/// Drivers report anything. Arithmetic is in 128 bits, so that no report traps.
struct RawSequence: Hashable, Sendable {
    private enum Shape: Hashable {
        case grid(first: Int64, step: Int64)
        case list([Int64])
    }

    private let shape: Shape
    /// The index of the last value; the first has 0.
    let lastIndex: Int128

    /// Returns nil if the control accepts no value, or not one of a range or menu.
    init?(_ control: DeviceControl) {
        switch control.kind {
        case .integer, .boolean:
            self.init(control.minimum, through: control.maximum, step: max(control.step, 1))
        case .menu: self.init(list: Set(control.menu.map(\.index)).sorted())
        case .bitmask, .button: return nil
        }
    }

    init?(_ first: Int64, through last: Int64, step: Int64) {
        guard first <= last, step >= 1 else { return nil }
        shape = .grid(first: first, step: step)
        lastIndex = (Int128(last) - Int128(first)) / Int128(step)
    }

    /// - Parameter list: In the order that fractions of the range refer to.
    init?(list: [Int64]) {
        guard !list.isEmpty else { return nil }
        shape = .list(list)
        lastIndex = Int128(list.count - 1)
    }

    /// Returns the value with this index, clamped to the sequence.
    subscript(index: Int128) -> Int64 {
        let index = min(max(index, 0), lastIndex)
        switch shape {
        case .grid(let first, let step): return Int64(clamping: Int128(first) + index * Int128(step))
        case .list(let list): return list[Int(index)]
        }
    }

    var first: Int64 { self[0] }
    var last: Int64 { self[lastIndex] }

    /// The distance of neighbors; nil for a list.
    var step: Int64? {
        if case .grid(_, let step) = shape { step } else { nil }
    }

    /// The values one by one; nil for a grid.
    var list: [Int64]? {
        if case .list(let list) = shape { list } else { nil }
    }

    /// Returns the index of the value that is nearest; of a list, only of the same value.
    /// - Parameter limit: The largest value that is rounded down to the last.
    func index(nearest value: Int64, limit: Int64) -> Int128? {
        switch shape {
        case .grid(let first, let step):
            guard value >= first, value <= limit else { return nil }
            let index = (Int128(value) - Int128(first)).rounded(timesThen: 1, by: Int128(step))
            return min(index, lastIndex)
        case .list(let list): return list.firstIndex(of: value).map { Int128($0) }
        }
    }

    func contains(_ value: Int64) -> Bool {
        index(nearest: value, limit: .max).map { self[$0] == value } ?? false
    }

    /// Returns the part of the range at an index, and the index of a part.
    func fraction(at index: Int128) -> Int64 {
        guard lastIndex > 0 else { return 0 }
        return Int64(clamping: min(max(index, 0), lastIndex).rounded(timesThen: 1_000_000, by: lastIndex))
    }

    func index(ofFraction millionths: Int64) -> Int128 {
        lastIndex.rounded(timesThen: Int128(millionths), by: 1_000_000)
    }

    /// Returns the values of the grid between two values.
    func clipped(_ low: Int64, _ high: Int64) -> RawSequence? {
        switch shape {
        case .grid(let first, let step):
            let (wide, from) = (Int128(step), Int128(first))
            let lower = Int128(low) <= from ? 0 : (Int128(low) - from + wide - 1) / wide
            let upper = Int128(high) < from ? -1 : min((Int128(high) - from) / wide, lastIndex)
            guard lower <= upper else { return nil }
            return RawSequence(self[lower], through: self[upper], step: step)
        case .list(let list): return RawSequence(list: list.filter { $0 >= low && $0 <= high })
        }
    }
}
