/// The buffers that pass between a driver and the thread that takes its frames.
package enum DriverQueue {
    /// How many buffers a camera requests. So many frames wait for a thread that is late, as on a busy machine;
    /// simulated cameras keep as many.
    package static let depth = 8
}
