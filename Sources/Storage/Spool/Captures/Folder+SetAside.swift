internal import PosixSupport

extension Folder {
    /// Moves a file to another folder, beside what lies there under the same name from before.
    /// - Returns: Its name there.
    @discardableResult
    func setAside(_ name: String, in folder: Folder, as wanted: String) throws(PosixError) -> String {
        var target = wanted
        var number = 0
        while try folder.entry(target) != nil {
            number += 1
            target = "\(wanted).\(number)"
        }
        try rename(name, in: folder, to: target)
        return target
    }
}
