internal import CaptureModel
internal import StorageKit

/// In which day's folder each shot lies, in memory that does not grow with the shots: a shot lies in the day on which its id
/// was minted. Only those are remembered for which this is not so, because midnight came between the request and T, or
/// because the clocks of who asked and of the coordinator are apart.
struct ShotPlaces {
    /// By the number of the day: where who asks has a clock that is far off, each shot has an entry, so it is small.
    private var elsewhere: [ShotID: Int32] = [:]
    private var days: [[String]] = []

    /// Reads the names of all shots; blocks on the disk.
    init(of reader: FolderReader) throws(StorageError) {
        for day in try reader.dayNames() {
            let minted = FolderNames.milliseconds(ofDay: day)
            for id in try reader.shotIDs(in: reader.open(day)) where minted?.contains(id.unixMilliseconds) != true {
                elsewhere[id] = number(of: day)
            }
        }
    }

    /// How many shots are remembered.
    var count: Int { elsewhere.count }

    /// The day that a shot lies in if the library has it, as `YYYY`, `MM`, `DD`.
    func day(of id: ShotID) -> [String] {
        elsewhere[id].map { days[Int($0)] } ?? FolderNames.day(of: id)
    }

    mutating func note(_ id: ShotID, day: [String]) {
        elsewhere[id] = day == FolderNames.day(of: id) ? nil : number(of: day)
    }

    mutating func forget(_ id: ShotID) {
        elsewhere[id] = nil
    }

    /// Of the few days that have such shots the one noted last is the likeliest.
    private mutating func number(of day: [String]) -> Int32 {
        if let index = days.lastIndex(of: day) { return Int32(index) }
        days.append(day)
        return Int32(days.count - 1)
    }
}
