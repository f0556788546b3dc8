import CaptureModel

/// The physical values of a control: for each driver's value one, in ascending or descending order.
struct QuantityScale: Hashable, Sendable {
    let unit: PhysicalUnit
    /// Only values that have a physical one.
    let raws: RawSequence
    private let translation: Translation

    private enum Translation: Hashable {
        case linear(Int64)
        case menu([Int64: Int64])
        case curve(MeasuredCurve)
    }

    /// Returns nil if no value has one: neither the documentation of V4L2, nor the driver, nor a measured curve defines
    /// it.
    init?(_ control: DeviceControl, unit: PhysicalUnit, curve: MeasuredCurve?) {
        guard let raws = RawSequence(control) else { return nil }
        if let curve {
            guard curve.unit == unit, control.kind == .integer else { return nil }
            self.init(unit, raws.clipped(curve.first.raw, curve.last.raw), .curve(curve))
            return
        }
        let standard = StandardUnit.all[control.name] ?? control.unit.flatMap { StandardUnit.reported[$0] }
        guard let standard, standard.unit == unit, standard.isMenu == (control.kind == .menu) else { return nil }
        guard !standard.isMenu else {
            self.init(menu: control.menu, unit)
            return
        }
        let least: Int64 = unit.isPositive ? 1 : .min / standard.countPerStep
        self.init(
            unit, raws.clipped(least, .max / standard.countPerStep), .linear(standard.countPerStep))
    }

    private init?(_ unit: PhysicalUnit, _ raws: RawSequence?, _ translation: Translation) {
        guard let raws else { return nil }
        self.unit = unit
        self.raws = raws
        self.translation = translation
    }

    /// The names of an integer menu are its numbers. Names that are none, or that the unit does not have, are left out.
    private init?(menu: [DeviceControl.MenuItem], _ unit: PhysicalUnit) {
        let pairs = menu.compactMap { item -> (Int64, Int64)? in
            guard let count = Int64(item.name), PhysicalQuantity(count, unit) != nil else { return nil }
            return (item.index, count)
        }
        let counts = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        let order = counts.keys.sorted { (counts[$0] ?? 0, $0) < (counts[$1] ?? 0, $1) }
        self.init(unit, RawSequence(list: order), .menu(counts))
    }

    /// Returns the physical value of a driver's value; nil if it has none.
    func quantity(_ raw: Int64) -> PhysicalQuantity? {
        guard raws.contains(raw), let count = count(raw) else { return nil }
        return PhysicalQuantity(count, unit)
    }

    private func count(_ raw: Int64) -> Int64? {
        switch translation {
        case .linear(let factor): Int64(clamping: Int128(raw) * Int128(factor))
        case .menu(let counts): counts[raw]
        case .curve(let curve): curve.count(raw)
        }
    }

    private func count(at index: Int128) -> Int64 { count(raws[index]) ?? 0 }

    /// The smallest and the largest physical value.
    var range: (low: PhysicalQuantity, high: PhysicalQuantity)? {
        let ends = [count(at: 0), count(at: raws.lastIndex)]
        guard let low = ends.min(), let high = ends.max(), let first = PhysicalQuantity(low, unit),
            let last = PhysicalQuantity(high, unit)
        else { return nil }
        return (first, last)
    }

    /// The physical distance of neighbors, where it is the same everywhere.
    var step: PhysicalQuantity? {
        guard case .linear(let factor) = translation, let step = raws.step else { return nil }
        return PhysicalQuantity(Int64(clamping: Int128(step) * Int128(factor)), unit)
    }

    /// Returns the driver's value with the nearest physical value; nil outside of the range.
    func raw(nearest quantity: PhysicalQuantity) -> Int64? {
        guard let range, quantity.unit == unit, (range.low.count...range.high.count).contains(quantity.count) else {
            return nil
        }
        let isAscending = count(at: 0) <= count(at: raws.lastIndex)
        // The first index whose value is not before the requested one.
        var (low, high): (Int128, Int128) = (0, raws.lastIndex)
        while low < high {
            let middle = (low + high) / 2
            let value = count(at: middle)
            if isAscending ? value < quantity.count : value > quantity.count { low = middle + 1 } else { high = middle }
        }
        let candidates = low > 0 ? [low - 1, low] : [low]
        func distance(_ index: Int128) -> Int128 { (Int128(count(at: index)) - Int128(quantity.count)).magnitudeValue }
        return candidates.min { distance($0) < distance($1) }.map { raws[$0] }
    }
}

extension Int128 {
    fileprivate var magnitudeValue: Int128 { self < 0 ? -self : self }
}
