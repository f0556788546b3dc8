internal import CaptureModel
internal import Glibc
public import PosixSupport

/// A set of points in a program where a test can cause a failure: an enum beside the code that passes them. The raw
/// values are the names of the points.
///
/// A name consists of words and dots, from the part of the program to the moment, and is unique in its program. The
/// code passes a point by its case, so the printed list and the points in the code cannot differ.
public protocol FaultPoint: CaseIterable, RawRepresentable, Sendable where RawValue == String {
    /// What can happen at every point of the set.
    static var abilities: [FaultAbility] { get }
}

extension Faults {
    /// Returns the file fault for a folder whose file work belongs to several disjoint sets; nil if no faults are armed
    /// when the folder is opened.
    public static func injection(_ sets: any FileFaultPoint.Type...) -> FileFault? {
        let injections = sets.compactMap { $0.injection }
        guard !injections.isEmpty else { return nil }
        return { step, path in
            for injection in injections { if let code = injection(step, path) { return code } }
            return nil
        }
    }
}
