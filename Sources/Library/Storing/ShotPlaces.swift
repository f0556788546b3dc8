internal import CaptureModel
internal import CaptureSystem

/// In which day's folder each shot lies, in memory that does not grow with the shots: a shot lies in the day on which its id
/// was minted. Only those are remembered for which this is not so, because midnight came between the request and T, or
/// because the clocks of who asked and of the coordinator are apart.
struct ShotPlaces {
    private var elsewhere: [ShotID: [String]] = [:]

    init() {}

    /// Reads the names of all shots; blocks on the disk.
    init(of reader: LibraryReader) throws(CaptureProblem) {
        for day in try reader.days() {
            let minted = LibraryNames.milliseconds(ofDay: day)
            for id in try reader.shotIDs(in: reader.open(day)) where minted?.contains(id.unixMilliseconds) != true {
                elsewhere[id] = day
            }
        }
    }

    /// How many shots are remembered.
    var count: Int { elsewhere.count }

    /// The day that a shot lies in if the library has it, as `YYYY`, `MM`, `DD`.
    func day(of id: ShotID) -> [String] {
        elsewhere[id] ?? LibraryNames.day(of: id)
    }

    mutating func note(_ id: ShotID, day: [String]) {
        elsewhere[id] = day == LibraryNames.day(of: id) ? nil : day
    }

    mutating func forget(_ id: ShotID) {
        elsewhere[id] = nil
    }
}
