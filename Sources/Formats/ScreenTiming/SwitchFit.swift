import Glibc

/// The brightness of one row of one picture near a switch. Milliseconds.
struct SwitchSample {
    var picture: Int
    /// Of the switch.
    var number: Int
    var isWhite: Bool
    /// Of the row: -0.5 at the top, 0.5 at the bottom.
    var height: Double
    /// From the switch to the mid-exposure of the middle row, as first assumed.
    var after: Double
    /// 0 black, 1 white.
    var brightness: Double
}

/// The parameters that explain the brightness of rows near switches best. Milliseconds.
struct SwitchFit {
    /// What to add to the times after a switch.
    let shift: Double
    let shiftError: Double
    /// From the first row to the last; nil if all samples are of one row.
    let rows: Double?
    let rowsError: Double
    let blur: Double
    /// How far single pictures are from `shift`.
    let jitter: Double

    private struct Parameters {
        /// Of the rows at the mean height of all samples, so that it does not depend on `rows`.
        var shift = 0.0
        var rows = 0.0
        var blur: Double
        /// On the share of the exposure.
        var exponent = 0.5

        subscript(_ index: Int) -> Double {
            get { [shift, rows, blur, exponent][index] }
            set {
                switch index {
                case 0: shift = newValue
                case 1: rows = min(max(newValue, -60), 60)
                case 2: blur = min(max(newValue, 0.05), 130)
                default: exponent = min(max(newValue, 0.2), 2.5)
                }
            }
        }
    }

    /// - Parameters:
    ///   - samples: At least one.
    ///   - exposure: As the camera reports it; nil if it does not.
    init(_ samples: [SwitchSample], exposure: Double?) {
        let center = samples.reduce(0) { $0 + $1.height } / Double(samples.count)
        let heights = Set(samples.map(\.height))
        let data = Residuals(samples: samples, center: center)
        var best: (Parameters, cost: Double)?
        for blur in exposure.map({ [$0] }) ?? [3, 10, 25] {
            for rows in heights.count > 1 ? [0.0, -20, 20] : [0] {
                let found = Self.descend(data, Parameters(rows: rows, blur: blur), free: heights.count > 1)
                if found.cost < best?.cost ?? .infinity { best = found }
            }
        }
        var parameters = best?.0 ?? Parameters(blur: exposure ?? 10)
        let cost = best?.cost ?? 0
        // All rows of a picture are off by the error of its one stamp, so a picture counts as one observation.
        let informative = max(data.informative(parameters), 1)
        let variance = max(cost / Double(informative), 1e-4)
        let limit = cost + 9 * variance * Double(heights.count)
        let (low, high) = Self.interval(data, parameters, 0, limit)
        parameters.shift += (low + high) / 2
        let rowsRange = heights.count > 1 ? Self.interval(data, parameters, 1, limit) : (low: 0, high: 0)
        rows = heights.count > 1 ? parameters.rows : nil
        rowsError = max(rowsRange.high, -rowsRange.low)
        shift = parameters.shift - center * parameters.rows
        shiftError = (high - low) / 2 + abs(center) * rowsError
        blur = parameters.blur
        jitter = data.jitter(parameters)
    }

    /// Looks for the least cost in steps along each parameter, which are halved when none helps.
    private static func descend(
        _ data: Residuals, _ start: Parameters, free: Bool
    ) -> (Parameters, cost: Double) {
        var parameters = start
        var cost = data.cost(start)
        var steps = [4.0, free ? 8 : 0, 4, 0.2]
        while steps[0] > 0.004 {
            var isBetter = false
            for index in steps.indices where steps[index] > 0 {
                for sign in [1.0, -1] {
                    var tried = parameters
                    tried[index] += sign * steps[index]
                    let cost2 = data.cost(tried)
                    guard cost2 < cost else { continue }
                    (parameters, cost, isBetter) = (tried, cost2, true)
                    break
                }
            }
            if !isBetter { steps = steps.map { $0 / 2 } }
        }
        return (parameters, cost)
    }

    /// Returns how far a parameter can be changed either way before the cost exceeds a limit.
    private static func interval(
        _ data: Residuals, _ parameters: Parameters, _ index: Int, _ limit: Double
    ) -> (low: Double, high: Double) {
        func end(_ sign: Double) -> Double {
            func exceeds(_ distance: Double) -> Bool {
                var tried = parameters
                tried[index] += sign * distance
                return data.cost(tried) > limit
            }
            var (inside, outside) = (0.0, 0.01)
            while outside < 100, !exceeds(outside) { (inside, outside) = (outside, outside * 1.5) }
            for _ in 0..<8 {
                let middle = (inside + outside) / 2
                if exceeds(middle) { outside = middle } else { inside = middle }
            }
            return sign * outside
        }
        return (end(-1), end(1))
    }

    /// What parameters do not explain.
    private struct Residuals {
        let samples: [SwitchSample]
        let center: Double

        /// The share of the exposure of a sample with a white screen.
        private func share(_ sample: SwitchSample, _ parameters: Parameters) -> Double {
            let after = sample.after + parameters.shift + (sample.height - center) * parameters.rows
            let share = min(max(after / parameters.blur + 0.5, 0), 1)
            return sample.isWhite ? share : 1 - share
        }

        /// The sum of the squares. What is far off, such as a picture with a wrong stamp, counts no more than something off.
        func cost(_ parameters: Parameters) -> Double {
            var sum = 0.0
            for sample in samples {
                let share = share(sample, parameters)
                let brightness = share > 0 && share < 1 ? pow(share, parameters.exponent) : share
                let miss = sample.brightness - brightness
                sum += min(miss * miss, 0.25)
            }
            return sum
        }

        /// The number of samples that were exposed to both black and white.
        func informative(_ parameters: Parameters) -> Int {
            samples.count { (0.02..<0.98).contains(share($0, parameters)) }
        }

        /// Returns how far pictures are from the parameters in time: 98 % of them are nearer.
        func jitter(_ parameters: Parameters) -> Double {
            let curve = toneCurve(parameters)
            var pictures: [Int: (sum: Double, count: Double)] = [:]
            for sample in samples {
                let expected = share(sample, parameters)
                let observed = Self.inverse(curve, sample.brightness)
                guard (0.1..<0.9).contains(expected) || (0.1..<0.9).contains(observed) else { continue }
                let miss = (observed - expected) * parameters.blur * (sample.isWhite ? 1 : -1)
                pictures[sample.picture, default: (0, 0)].sum += miss
                pictures[sample.picture, default: (0, 0)].count += 1
            }
            let misses = pictures.values.map { abs($0.sum / $0.count) }.sorted()
            return misses.isEmpty ? 0 : misses[(misses.count - 1) * 98 / 100]
        }

        private static let knots = 10

        /// Returns the brightness of shares of 0, 0.1 … 1, as the samples show it, ascending.
        private func toneCurve(_ parameters: Parameters) -> [Double] {
            var (sums, weights) = (
                [Double](repeating: 0, count: Self.knots + 1), [Double](repeating: 0, count: Self.knots + 1)
            )
            for sample in samples {
                let share = share(sample, parameters)
                guard share > 0, share < 1 else { continue }
                let place = share * Double(Self.knots)
                let knot = Int(place)
                for (index, weight) in [(knot, Double(knot + 1) - place), (knot + 1, place - Double(knot))] {
                    sums[index] += sample.brightness * weight
                    weights[index] += weight
                }
            }
            var curve = (0...Self.knots).map { index in
                weights[index] > 1
                    ? sums[index] / weights[index] : pow(Double(index) / Double(Self.knots), parameters.exponent)
            }
            (curve[0], curve[Self.knots]) = (0, 1)
            for index in 1..<Self.knots { curve[index] = min(max(curve[index], curve[index - 1] + 1e-3), 1) }
            return curve
        }

        private static func inverse(_ curve: [Double], _ brightness: Double) -> Double {
            guard brightness > 0 else { return 0 }
            guard let upper = curve.firstIndex(where: { $0 >= brightness }), upper > 0 else { return 1 }
            let (low, high) = (curve[upper - 1], curve[upper])
            return (Double(upper - 1) + (high > low ? (brightness - low) / (high - low) : 1)) / Double(knots)
        }
    }
}
